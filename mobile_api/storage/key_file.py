"""The key file of the biometric database, the newest key first, or a setting in its place.

One key a line, 32 random bytes in base64. The first key encrypts; the others only decrypt what
was not re-keyed yet. A key's id is derived from it, as are keys for each purpose (HKDF, RFC
5869).
"""

import base64
import binascii
import secrets
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final, NewType

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from mobile_api.errors import KeyFileFault
from oidc.plumbing import private_file
from oidc.plumbing.key_source import KeySource

KEY_BYTES: Final = 32
"""AES-256."""

KEY_ID_BYTES: Final = 4

KEYS_LIMIT: Final = 16
"""Remove old keys after re-keying."""

KeyId = NewType("KeyId", str)
"""Id of a key: 8 hexadecimal digits derived from it. Not secret."""


class MasterKey:
    """One key of the key file.

    Args:
        octets: 32 random bytes.
    """

    def __init__(self, octets: bytes) -> None:
        self.octets = octets
        self._derived: dict[str, bytes] = {}

    @cached_property
    def key_id(self) -> KeyId:
        """The key's id, derived from the key."""
        return KeyId(self.derived("key id")[:KEY_ID_BYTES].hex())

    def derived(self, purpose: str) -> bytes:
        """Return a 32-byte key for one purpose. RFC 5869."""
        key = self._derived.get(purpose)
        if key is None:
            key = self._derived[purpose] = derive_key(self.octets, purpose)
        return key

    def line(self) -> bytes:
        """Return its line in the file."""
        return base64.b64encode(self.octets) + b"\n"


@dataclass(frozen=True, slots=True)
class MasterKeys:
    """One or more keys: the first encrypts, the others only decrypt."""

    keys: tuple[MasterKey, ...] = field(repr=False)

    @property
    def primary(self) -> MasterKey:
        """The key that encrypts."""
        return self.keys[0]

    def find(self, key_id: KeyId) -> MasterKey | None:
        """Return a key by its id, or None."""
        return next((key for key in self.keys if key.key_id == key_id), None)

    def derived(self, purpose: str) -> list[bytes]:
        """Return the purpose's key of every key, the primary's first."""
        return [key.derived(purpose) for key in self.keys]


def master_keys_of(*masters: bytes) -> MasterKeys:
    """Return the keys, the primary first."""
    return MasterKeys(tuple(MasterKey(master) for master in masters))


class KeyFile:
    """The key file; read again when it changes, so that every process notices.

    Args:
        path: mode 0600.
        given: the keys of a setting or a command, in place of the file: they never change.
    """

    def __init__(self, path: Path, given: MasterKeys | None = None) -> None:
        self._path, self.is_file = path, given is None
        self._stamp: tuple[int, int, int] | None = None
        self._keys = given

    def current(self) -> MasterKeys:
        """Return the current keys.

        Raises:
            KeyFileFault: missing, readable by others, or malformed.
        """
        if self._keys is not None and not self.is_file:
            return self._keys
        stamp = self._stamp_now()
        if self._keys is None or stamp != self._stamp:
            self._keys, self._stamp = read_key_file(self._path), stamp
        return self._keys

    def add_primary(self) -> MasterKeys:
        """Add a new encrypting key."""
        keys = self.current()
        if len(keys.keys) == KEYS_LIMIT:
            raise KeyFileFault(
                "too many keys in the key file: finish re-keying and remove old keys first"
            )
        return self._replace((MasterKey(secrets.token_bytes(KEY_BYTES)), *keys.keys))

    def remove_old(self) -> MasterKeys:
        """Remove every key but the primary; what they encrypted is lost."""
        if not self.is_file:
            raise KeyFileFault(
                "nothing needs the old keys any more, and they are in no file: remove them from"
                " THENAR_MOBILE_KEY, or where THENAR_MOBILE_KEY_COMMAND has them"
            )
        return self._replace((self.current().primary,))

    def _replace(self, keys: Sequence[MasterKey]) -> MasterKeys:
        private_file.replace(self._path, b"".join(key.line() for key in keys))
        return self.current()

    def _stamp_now(self) -> tuple[int, int, int]:
        try:
            found = self._path.stat()
        except OSError as fault:
            raise _unreadable() from fault
        return found.st_ino, found.st_mtime_ns, found.st_size


def derive_key(master: bytes, purpose: str) -> bytes:
    """Return a 32-byte key for one purpose. RFC 5869."""
    info = f"thenar/{purpose}".encode()
    return HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=info).derive(master)


def create_key_file(path: Path) -> bool:
    """Create a key file of one new key, mode 0600; False if the file exists."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        private_file.create(path, MasterKey(secrets.token_bytes(KEY_BYTES)).line())
    except FileExistsError:
        return False
    return True


def open_key_file(source: KeySource) -> KeyFile:
    """Return the key file of a source. Raises KeyFileFault, or of oidc KeyCommandFailed."""
    return KeyFile(source.path, None if source.is_file else read_keys(source))


def read_keys(source: KeySource) -> MasterKeys:
    """Return the keys of a source. Raises KeyFileFault, or of oidc KeyCommandFailed."""
    text = source.text()
    return read_key_file(source.path) if text is None else _keys(text.encode(), source.name)


def read_key_file(path: Path) -> MasterKeys:
    """Return the keys of a file.

    Raises:
        KeyFileFault: missing, readable by others, or malformed.
    """
    try:
        mode, text = path.stat().st_mode, path.read_bytes()
    except OSError as fault:
        raise _unreadable() from fault
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise KeyFileFault(f"{path} is readable by others: its mode must be 0600")
    return _keys(text, "the key file")


def _keys(text: bytes, name: str) -> MasterKeys:
    try:
        keys = [base64.b64decode(line, validate=True) for line in text.split()]
    except binascii.Error as fault:
        raise KeyFileFault(f"{name} is not base64: it has no keys of palms") from fault
    if any(len(key) != KEY_BYTES for key in keys):
        raise KeyFileFault(f"a line of {name} is not {KEY_BYTES} bytes")
    if not 1 <= len(set(keys)) == len(keys) <= KEYS_LIMIT:
        raise KeyFileFault(f"{name} has no key, too many keys, or a key twice")
    return master_keys_of(*keys)


def _unreadable() -> KeyFileFault:
    return KeyFileFault("the key file cannot be read; `thenar migrate` creates one")

"""The key ring of the biometric database: a file beside it, the newest key first.

One key a line, 32 random bytes in base64. The first key encrypts; the others only decrypt what
was not re-keyed yet. A key's id is derived from it, as are keys for each purpose (HKDF, RFC
5869).
"""

from __future__ import annotations

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
from mobile_api.storage import private_file

KEY_BYTES: Final = 32
"""AES-256."""

KEY_ID_BYTES: Final = 4

KEYS_LIMIT: Final = 16
"""Remove old keys after re-keying."""

KeyId = NewType("KeyId", str)
"""Id of a key: 8 hexadecimal digits derived from it. Not secret."""


class MasterKey:
    """One key of the ring.

    Args:
        octets: 32 random bytes.
    """

    def __init__(self, octets: bytes) -> None:
        self.octets = octets
        self._derived: dict[str, bytes] = {}

    @cached_property
    def key_id(self) -> KeyId:
        """Its id."""
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
class KeyRing:
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


def key_ring_of(*masters: bytes) -> KeyRing:
    """Return a ring of keys, the primary first."""
    return KeyRing(tuple(MasterKey(master) for master in masters))


class KeyRingFile:
    """A key ring file; read again when it changes, so that every process notices.

    Args:
        path: mode 0600.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamp: tuple[int, int, int] | None = None
        self._ring: KeyRing | None = None

    def current(self) -> KeyRing:
        """Return the current ring.

        Raises:
            KeyFileFault: missing, readable by others, or malformed.
        """
        stamp = self._stamp_now()
        if self._ring is None or stamp != self._stamp:
            self._ring, self._stamp = read_key_ring(self._path), stamp
        return self._ring

    def add_primary(self) -> KeyRing:
        """Add a new encrypting key."""
        ring = self.current()
        if len(ring.keys) == KEYS_LIMIT:
            raise KeyFileFault(
                "too many keys on the key ring: finish re-keying and remove old keys first"
            )
        return self._replace((MasterKey(secrets.token_bytes(KEY_BYTES)), *ring.keys))

    def remove_old(self) -> KeyRing:
        """Remove every key but the primary; what they encrypted is lost."""
        return self._replace((self.current().primary,))

    def _replace(self, keys: Sequence[MasterKey]) -> KeyRing:
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
    """Create a ring of one new key, mode 0600; False if the file exists."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        private_file.create(path, MasterKey(secrets.token_bytes(KEY_BYTES)).line())
    except FileExistsError:
        return False
    return True


def read_key_ring(path: Path) -> KeyRing:
    """Return the keys of a file.

    Raises:
        KeyFileFault: missing, readable by others, or malformed.
    """
    try:
        mode, text = path.stat().st_mode, path.read_bytes()
    except OSError as fault:
        raise _unreadable() from fault
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise KeyFileFault("the key file is readable by others; its mode must be 0600")
    keys = [_octets(line) for line in text.splitlines()]
    if not 1 <= len(set(keys)) == len(keys) <= KEYS_LIMIT:
        raise KeyFileFault("the key file has no key, too many keys, or a key twice")
    return key_ring_of(*keys)


def _octets(line: bytes) -> bytes:
    try:
        key = base64.b64decode(line.strip(), validate=True)
    except binascii.Error as fault:
        raise KeyFileFault("the key file is not base64") from fault
    if len(key) != KEY_BYTES:
        raise KeyFileFault(f"a line of the key file is not {KEY_BYTES} bytes")
    return key


def _unreadable() -> KeyFileFault:
    return KeyFileFault("the key file cannot be read; `thenar migrate` creates one")

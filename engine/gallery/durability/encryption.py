"""Authenticated encryption of everything a gallery writes: AES-256-GCM (NIST SP 800-38D).

Layout: nonce (12 bytes, random) ‖ ciphertext ‖ tag (16 bytes). The associated data name the
place in the file, so a block that was moved does not decrypt. Each file has its own key,
derived from the gallery's key and the file's random salt (HKDF, RFC 5869), so nonces of two
files cannot collide.

A file is written whole or not at all, and one process at a time owns a directory.
"""

import fcntl
import os
import secrets
import weakref
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from engine.errors import DirectoryDamaged, DirectoryFault, DirectoryInUse

Octets = bytes | bytearray | memoryview

KEY_BYTES: Final = 32
"""AES-256."""

NONCE_BYTES: Final = 12
TAG_BYTES: Final = 16

_KEY_NAME_BYTES: Final = 8


class GalleryCipher:
    """Encrypts and decrypts with a key of 32 bytes and a file's salt. Thread-safe."""

    def __init__(self, key: bytes, salt: bytes) -> None:
        self._aead = AESGCM(_derived(key, b"thenar/gallery/files", salt, KEY_BYTES))

    def encrypt(self, content: Octets, associated_data: bytes) -> bytes:
        """Encrypt, bound to associated data."""
        nonce = secrets.token_bytes(NONCE_BYTES)
        return nonce + self._aead.encrypt(nonce, content, associated_data)

    def decrypt(self, ciphertext: Octets, associated_data: bytes) -> bytes:
        """Decrypt.

        Raises:
            DirectoryDamaged: it was not encrypted under this key with these associated data.
        """
        try:
            view = memoryview(ciphertext)
            return self._aead.decrypt(view[:NONCE_BYTES], view[NONCE_BYTES:], associated_data)
        except (InvalidTag, ValueError, TypeError) as fault:
            raise DirectoryDamaged("a part of the gallery's file does not open") from fault


def key_name(key: bytes) -> str:
    """Return a name of a key that reveals nothing about it."""
    return _derived(key, b"thenar/gallery/key-name", b"", _KEY_NAME_BYTES).hex()


def _derived(key: bytes, purpose: bytes, salt: bytes, size: int) -> bytes:
    return HKDF(algorithm=SHA256(), length=size, salt=salt, info=purpose).derive(key)


def write_whole(path: Path, data: bytes) -> None:
    """Replace a file, or make one that only its owner may read. Raises ``OSError``."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        with os.fdopen(
            os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb"
        ) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


LOCK_NAME: Final = "lock"
_OWNER_ONLY: Final = 0o600


class DirectoryLock:
    """Owns a directory until it is closed or the process ends.

    Args:
        folder: created if missing, readable by its owner only.

    Raises:
        DirectoryInUse: another process owns it.
        DirectoryFault: it cannot be created.
    """

    def __init__(self, folder: Path) -> None:
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir(mode=0o700, exist_ok=True)
            self._file = os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CREAT, _OWNER_ONLY)
        except OSError as fault:
            reason = fault.strerror or "input or output failed"
            raise DirectoryFault(f"the directory {folder} cannot be used: {reason}") from fault
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as fault:
            os.close(self._file)
            raise DirectoryInUse(
                f"another process owns the directory {folder}: give each its own"
            ) from fault
        self._closing = weakref.finalize(self, os.close, self._file)

    def close(self) -> None:
        """Release the directory. Idempotent."""
        self._closing()

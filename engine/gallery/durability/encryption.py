"""Authenticated encryption of everything a gallery writes: AES-256-GCM (NIST SP 800-38D).

Layout: nonce (12 bytes, random) ‖ ciphertext ‖ tag (16 bytes). The associated data name the
place in the file, so a block that was moved does not decrypt. Each file has its own key,
derived from the gallery's key and the file's random salt (HKDF, RFC 5869), so nonces of two
files cannot collide.
"""

from __future__ import annotations

import secrets
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from engine.errors import DirectoryDamaged

Octets = bytes | bytearray | memoryview

KEY_BYTES: Final = 32
"""AES-256."""

NONCE_BYTES: Final = 12
TAG_BYTES: Final = 16
ENCRYPTION_OVERHEAD_BYTES: Final = NONCE_BYTES + TAG_BYTES
"""By how much encryption lengthens its input."""

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

"""The key encryption key: encrypts stored signing keys."""

from __future__ import annotations

import base64
import binascii
import os
from typing import TYPE_CHECKING, Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from oidc.errors import SigningKeyFault

if TYPE_CHECKING:
    from pathlib import Path

    from oidc.plumbing.key_source import KeySource

_KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12


class KeyCipher:
    """Encrypts private keys with AES-256-GCM; the ``kid`` is authenticated too."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._cipher = AESGCM(key)

    def derive(self, purpose: bytes) -> bytes:
        """Return a 32-byte key for another purpose, the same in every process. RFC 5869."""
        return HKDF(SHA256(), length=_KEY_BYTES, salt=None, info=purpose).derive(self._key)

    def encrypt(self, private: bytes, kid: str) -> bytes:
        """Return nonce and ciphertext."""
        nonce = os.urandom(_NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, private, kid.encode())

    def decrypt(self, encrypted: bytes, kid: str) -> bytes:
        """Return the private key. Raises ``SigningKeyFault``."""
        nonce, ciphertext = encrypted[:_NONCE_BYTES], encrypted[_NONCE_BYTES:]
        try:
            return self._cipher.decrypt(nonce, ciphertext, kid.encode())
        except (InvalidTag, ValueError) as fault:  # ValueError: too short
            raise SigningKeyFault("a signing key was encrypted under another key") from fault


def load_cipher(source: KeySource) -> KeyCipher:
    """Return the cipher of a key. Raises ``SigningKeyFault`` or ``KeyCommandFailed``."""
    text = source.text()
    try:
        text = source.path.read_text(encoding="ascii") if text is None else text
    except (OSError, ValueError) as fault:
        raise SigningKeyFault(
            "the key encryption key file cannot be read: restore it from its backup"
            " (`thenar migrate` makes one for a new database alone)"
        ) from fault
    return KeyCipher(_decoded(text.strip(), source.name))


def make_key_file(path: Path) -> None:
    """Write a new key encryption key, readable by its owner only, unless the file exists."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return
    with os.fdopen(handle, "wb") as file:
        file.write(base64.urlsafe_b64encode(os.urandom(_KEY_BYTES)) + b"\n")


def _decoded(text: str, name: str) -> bytes:
    try:
        key = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError) as fault:
        raise SigningKeyFault(f"{name} is not base64url") from fault
    if len(key) != _KEY_BYTES:
        raise SigningKeyFault(f"{name} does not hold {_KEY_BYTES} bytes")
    return key

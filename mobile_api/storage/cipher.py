"""Encryption of templates at rest: AES-256-GCM, with the place of the record bound to it.

The key lies outside the database. A sealed template is

    version (1 byte) ‖ nonce (12 bytes, random) ‖ ciphertext and tag

and opens only under the key, the purpose, the owner and the record it was sealed for
(additional authenticated data, NIST SP 800-38D): a row copied to another account is refused.
From the one key file further keys are derived by purpose (HKDF, RFC 5869), so that the key of
the nonces is not the key of the palms.
"""

from __future__ import annotations

import base64
import binascii
import os
import secrets
import stat
from pathlib import Path
from typing import Final
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from mobile_api.errors import KeyFault, SealBroken

KEY_BYTES: Final = 32
"""AES-256."""

SEAL_VERSION: Final = 1
NONCE_BYTES: Final = 12


class TemplateCipher:
    """Seals and opens templates.

    Args:
        key: 32 bytes, derived for this purpose and no other.
    """

    def __init__(self, key: bytes) -> None:
        self._aead = AESGCM(key)

    def seal(self, template: bytes, *, owner: str, record: UUID) -> bytes:
        """Encrypt the bytes of a template for one record of one owner."""
        nonce = secrets.token_bytes(NONCE_BYTES)
        sealed = self._aead.encrypt(nonce, template, _place(owner, record))
        return bytes([SEAL_VERSION]) + nonce + sealed

    def open(self, sealed: bytes, *, owner: str, record: UUID) -> bytes:
        """Decrypt a template.

        Raises:
            SealBroken: another key, owner or record, an unknown version, or changed bytes.
        """
        if sealed[:1] != bytes([SEAL_VERSION]):
            raise SealBroken("unknown version of a sealed template")
        nonce, body = sealed[1 : 1 + NONCE_BYTES], sealed[1 + NONCE_BYTES :]
        try:
            return self._aead.decrypt(nonce, body, _place(owner, record))
        except (InvalidTag, ValueError) as fault:
            raise SealBroken("a sealed template does not open") from fault


def _place(owner: str, record: UUID) -> bytes:
    return b"\0".join((b"thenar", bytes([SEAL_VERSION]), owner.encode(), record.bytes))


def derive_key(master: bytes, purpose: str) -> bytes:
    """Return a 32-byte key for one purpose. RFC 5869."""
    info = f"thenar/{purpose}".encode()
    return HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=info).derive(master)


def create_key_file(path: Path) -> bool:
    """Write a new random key, readable by its owner only; False if the file exists."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return False
    with os.fdopen(descriptor, "wb") as file:
        file.write(base64.b64encode(secrets.token_bytes(KEY_BYTES)) + b"\n")
        file.flush()
        os.fsync(file.fileno())
    return True


def read_key_file(path: Path) -> bytes:
    """Return the 32 bytes of the key.

    Raises:
        KeyFault: no such file, readable by others, or not 32 bytes in base64.
    """
    try:
        mode, text = path.stat().st_mode, path.read_bytes()
    except OSError as fault:
        raise KeyFault("the key file cannot be read; `thenar migrate` makes one") from fault
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise KeyFault("the key file may be read by others; its mode must be 0600")
    try:
        key = base64.b64decode(text.strip(), validate=True)
    except binascii.Error as fault:
        raise KeyFault("the key file does not hold base64") from fault
    if len(key) != KEY_BYTES:
        raise KeyFault(f"the key file does not hold {KEY_BYTES} bytes")
    return key

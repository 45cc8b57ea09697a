"""Encrypts templates at rest: AES-256-GCM, bound to their owner and record.

An encrypted template is

    version (1 byte, 2) ‖ key id (4 bytes) ‖ nonce (12 bytes, random) ‖ ciphertext and tag

Owner and record are additional authenticated data (NIST SP 800-38D): a row copied to another
account does not decrypt. Version 1 has no key id and was not rotated.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from mobile_api.errors import DecryptionFailed
from mobile_api.storage.key_file import KEY_ID_BYTES, KeyId, MasterKey, MasterKeys

LEGACY_VERSION: Final = 1
FORMAT_VERSION: Final = 2
NONCE_BYTES: Final = 12
HEAD_BYTES: Final = 1 + KEY_ID_BYTES
PURPOSE: Final = "templates"


@dataclass(frozen=True, slots=True)
class Decrypted:
    """A decrypted template.

    Attributes:
        content: the plaintext.
        key: the key it was encrypted under; None for version 1.
    """

    content: bytes = field(repr=False)
    key: MasterKey | None


class TemplateCipher:
    """Encrypts and decrypts templates with the current keys of the key file."""

    def __init__(self, keys: Callable[[], MasterKeys]) -> None:
        self._keys = keys

    @property
    def keys(self) -> MasterKeys:
        """The current keys."""
        return self._keys()

    def key(self, key_id: KeyId) -> MasterKey:
        """Return a key of the key file.

        Raises:
            DecryptionFailed: it is not there.
        """
        key = self._keys().find(key_id)
        if key is None:
            raise DecryptionFailed(
                "a template is encrypted under a key that is not in the key file"
            )
        return key

    def encrypt(self, template: bytes, key: MasterKey, *, owner: str, record: UUID) -> bytes:
        """Encrypt an encoded template for one record of one owner."""
        head = bytes([FORMAT_VERSION]) + bytes.fromhex(key.key_id)
        nonce = secrets.token_bytes(NONCE_BYTES)
        return (
            head
            + nonce
            + _aead(key).encrypt(nonce, template, _associated_data(head, owner, record))
        )

    def decrypt(self, ciphertext: bytes, *, owner: str, record: UUID) -> Decrypted:
        """Decrypt a template.

        Raises:
            DecryptionFailed: wrong key, owner, record or version, or changed bytes.
        """
        if ciphertext[:1] == bytes([LEGACY_VERSION]):
            return Decrypted(self._decrypt_legacy(ciphertext, owner, record), None)
        key_id = encryption_key_id(ciphertext)
        if key_id is None:
            raise DecryptionFailed("unknown version of an encrypted template")
        key, head = self.key(key_id), ciphertext[:HEAD_BYTES]
        content = _decrypted(
            key, ciphertext[HEAD_BYTES:], _associated_data(head, owner, record)
        )
        if content is None:
            raise DecryptionFailed("a template cannot be decrypted")
        return Decrypted(content, key)

    def _decrypt_legacy(self, ciphertext: bytes, owner: str, record: UUID) -> bytes:
        """Decrypt version 1 under whichever key it was encrypted."""
        place = _associated_data(bytes([LEGACY_VERSION]), owner, record)
        for key in reversed(self._keys().keys):
            content = _decrypted(key, ciphertext[1:], place)
            if content is not None:
                return content
        raise DecryptionFailed("a template cannot be decrypted")


def encryption_key_id(ciphertext: bytes) -> KeyId | None:
    """Return the name of the key a template is encrypted under; None if it does not say."""
    if ciphertext[:1] != bytes([FORMAT_VERSION]) or len(ciphertext) < HEAD_BYTES:
        return None
    return KeyId(ciphertext[1:HEAD_BYTES].hex())


def _aead(key: MasterKey) -> AESGCM:
    return AESGCM(key.derived(PURPOSE))


def _decrypted(key: MasterKey, body: bytes, place: bytes) -> bytes | None:
    """Return what was encrypted; None if it cannot be decrypted."""
    try:
        return _aead(key).decrypt(body[:NONCE_BYTES], body[NONCE_BYTES:], place)
    except (InvalidTag, ValueError):
        return None


def _associated_data(head: bytes, owner: str, record: UUID) -> bytes:
    return b"\0".join((b"thenar", head, owner.encode(), record.bytes))

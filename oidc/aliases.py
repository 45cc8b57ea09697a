"""The names that this database uses for accounts and phones: aliases, made under two keys.

The biometric database has its own names. Both keys are needed to get from one name to the
other, so a reader of both databases and one key learns nothing by joining them.
"""

import base64
from typing import Final
from uuid import UUID

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from cryptography.hazmat.primitives.ciphers.algorithms import AES256
from cryptography.hazmat.primitives.ciphers.modes import ECB
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from oidc.types import AccountId, Claimant

KEY_BYTES: Final = 32
"""AES-256."""

_NO_ACCOUNT: Final = AccountId(UUID(int=0))
"""No account: accounts are random."""


class Aliases:
    """Makes aliases, and reads them.

    An alias of an account is one block of AES, which is a permutation of all accounts. An alias
    of a phone is deterministic authenticated encryption. RFC 5297.

    Args:
        biometric: the key of the biometric database's side, 32 bytes.
        protocol: the key of the provider's side, 32 bytes.
    """

    def __init__(self, biometric: bytes, protocol: bytes) -> None:
        keys = biometric, protocol
        self._accounts = [Cipher(AES256(_derived(key, "accounts", 32)), ECB()) for key in keys]  # noqa: S305 -- one block
        self._phones = [AESSIV(_derived(key, "phones", 64)) for key in keys]

    @property
    def proof(self) -> AccountId:
        """A stored check value of the two keys: other keys give another one."""
        return self.alias_of(_NO_ACCOUNT)

    def alias_of(self, account: AccountId) -> AccountId:
        """Return the alias of an account."""
        block = account.bytes
        for cipher in self._accounts:
            block = cipher.encryptor().update(block)
        return AccountId(UUID(bytes=block))

    def account_of(self, alias: AccountId) -> AccountId:
        """Return the account of an alias."""
        block = alias.bytes
        for cipher in reversed(self._accounts):
            block = cipher.decryptor().update(block)
        return AccountId(UUID(bytes=block))

    def alias_of_phone(self, phone: Claimant) -> Claimant:
        """Return the alias of a phone."""
        name = phone.encode()
        for cipher in self._phones:
            name = cipher.encrypt(name, None)
        return Claimant(base64.urlsafe_b64encode(name).decode())

    def phone_of(self, alias: Claimant) -> Claimant:
        """Return the phone of an alias. Raises InvalidTag if these keys did not make it."""
        name = base64.urlsafe_b64decode(alias)
        for cipher in reversed(self._phones):
            name = cipher.decrypt(name, None)
        return Claimant(name.decode())


def _derived(key: bytes, purpose: str, length: int) -> bytes:
    info = f"thenar aliases of {purpose}".encode()
    return HKDF(SHA256(), length=length, salt=None, info=info).derive(key)

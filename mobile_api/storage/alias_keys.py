"""The two keys of the aliases.

Ours is random and stored in the biometric database, encrypted under the key file: every backup
of the database has it, and a new key file keeps it. The provider's is derived from its key
encryption key; ``thenar migrate`` writes it to its own file, because this service needs it
and must not be able to sign tokens.
"""

import secrets
from collections.abc import Callable
from typing import Final
from uuid import UUID

from mobile_api.errors import KeyFileFault
from mobile_api.settings import MobileSettings
from mobile_api.storage.cipher import TemplateCipher, encryption_key_id
from mobile_api.storage.database import Transaction, open_database
from mobile_api.storage.key_file import (
    KEY_BYTES,
    MasterKey,
    MasterKeys,
    open_key_file,
    read_keys,
)
from oidc.aliases import Aliases
from oidc.plumbing import private_file

_OWNER: Final = "aliases"
_RECORD: Final = UUID(int=0)


def own_key(transaction: Transaction, keys: Callable[[], MasterKeys]) -> bytes:
    """Return this side's key. Raises KeyFileFault or DecryptionFailed."""
    ciphertext = transaction.alias_key.ciphertext()
    if ciphertext is None:
        raise KeyFileFault("the key of the aliases is missing: run `thenar migrate`")
    return TemplateCipher(keys).decrypt(ciphertext, owner=_OWNER, record=_RECORD).content


def ensure_own_key(transaction: Transaction, keys: Callable[[], MasterKeys]) -> bytes:
    """Return this side's key, made if there is none. Lock the history before."""
    if transaction.alias_key.ciphertext() is None:
        _store(transaction, keys, secrets.token_bytes(KEY_BYTES))
    return own_key(transaction, keys)


def encrypt_again(transaction: Transaction, keys: Callable[[], MasterKeys]) -> None:
    """Encrypt this side's key under the primary key."""
    if is_left_behind(transaction, keys()):
        _store(transaction, keys, own_key(transaction, keys))


def is_left_behind(transaction: Transaction, keys: MasterKeys) -> bool:
    """Return whether this side's key is encrypted under an old key."""
    ciphertext = transaction.alias_key.ciphertext()
    return ciphertext is not None and encryption_key_id(ciphertext) != keys.primary.key_id


def write_provider_key(settings: MobileSettings, key: bytes) -> None:
    """Write the provider's key for this service; a file that differs is replaced.

    Raises KeyFileFault if the key is given by a setting or command, and differs.
    """
    source, ours, line = settings.alias_key_source, settings.key_file, MasterKey(key).line()
    path = source.path
    if not source.is_file:
        if read_keys(source).primary.octets != key:
            raise KeyFileFault(f"{source.name} is not the key of the provider's aliases")
    elif not path.exists():
        private_file.create(path, line, ours.stat() if ours.exists() else None)
    elif path.read_bytes() != line:
        private_file.replace(path, line)


def open_aliases(settings: MobileSettings) -> Aliases:
    """Return the aliases of both keys. Raises NotMigrated, KeyFileFault or DecryptionFailed."""
    with open_database(settings.database_url) as database, database.read() as transaction:
        own = own_key(transaction, open_key_file(settings.key_source).current)
    source = settings.alias_key_source
    if source.is_file and not source.path.exists():
        raise KeyFileFault(
            f"{source.path.name} is missing: run `thenar migrate`, which"
            " makes it again from the provider's key"
        )
    return Aliases(own, read_keys(source).primary.octets)


def _store(transaction: Transaction, keys: Callable[[], MasterKeys], key: bytes) -> None:
    ciphertext = TemplateCipher(keys).encrypt(key, keys().primary, owner=_OWNER, record=_RECORD)
    transaction.alias_key.replace(ciphertext)

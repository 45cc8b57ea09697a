"""Use case: re-key all templates while the service runs.

A new key becomes the primary one, under the lock that every enrolment takes. Then batches of
references are re-encrypted, one transaction each. Interrupted, it continues. Old keys can go
once nothing is encrypted under them.
"""

from __future__ import annotations

from collections.abc import Callable

from mobile_api.errors import KeyFileFault
from mobile_api.gallery.template_encryption import TemplateEncryption
from mobile_api.storage.alias_keys import encrypt_again, is_left_behind
from mobile_api.storage.database import Database, Transaction
from mobile_api.storage.key_file import KeyFile
from mobile_api.storage.stores.template_keys import KeyCount

STEP_ROWS = 200
"""References per transaction; on SQLite other writers wait some 20 ms for it."""


class Rekeying:
    """Re-keys the templates of a database.

    ``sign_erasures`` authenticates the list of erasures by the primary key.
    """

    def __init__(
        self,
        database: Database,
        encryption: TemplateEncryption,
        key_file: KeyFile,
        sign_erasures: Callable[[], None],
    ) -> None:
        self._database, self._encryption, self._key_file = database, encryption, key_file
        self._sign_erasures = sign_erasures

    def needs_key(self) -> bool:
        """Return whether ``begin`` adds a key to the file."""
        with self._database.read_in_transaction() as transaction:
            return self._needs_key(transaction)

    def begin(self) -> bool:
        """Add a new primary key unless a re-keying is under way; return whether it was added.

        Keys from a setting or a command have their new key already. Raises KeyFileFault.
        """
        with self._database.write() as transaction:
            transaction.history.lock()
            if not self._needs_key(transaction):
                return False
            self._key_file.add_primary()
            return True

    def _needs_key(self, transaction: Transaction) -> bool:
        is_under_way = len(self._key_file.current().keys) > 1 and _others(
            transaction.template_keys.count_by_key(), self._encryption.key_id
        )
        return self._key_file.is_file and not is_under_way

    def pending_count(self) -> int:
        """Return how many references are not under the primary key."""
        with self._database.read_in_transaction() as transaction:
            others = _others(transaction.template_keys.count_by_key(), self._encryption.key_id)
        return sum(each.references for each in others)

    def step(self) -> int:
        """Re-encrypt one batch; return its size, 0 when done. Raises DecryptionFailed."""
        with self._database.write() as transaction:
            transaction.history.lock()  # before references, as every writer does
            outdated = transaction.template_keys.lock_outdated(
                self._encryption.key_id, STEP_ROWS
            )
            transaction.template_keys.replace(self._encryption.reencrypt(outdated))
            encrypt_again(transaction, self._key_file.current)
        return len(outdated)

    def remove_old_keys(self, wait_for_readers: Callable[[], None] = lambda: None) -> int:
        """Remove all keys but the primary one; return how many.

        ``wait_for_readers`` returns when no process uses an old key any more. Raises
        KeyFileFault if something is still encrypted under one.
        """
        wait_for_readers()
        with self._database.write() as transaction:
            transaction.history.lock()
            others = _others(transaction.template_keys.count_by_key(), self._encryption.key_id)
            references = sum(each.references for each in others)
            samples = sum(each.samples for each in others)
            if references or samples:
                raise KeyFileFault(
                    f"old keys still encrypt {references} references and {samples} samples of"
                    " pending enrolments: re-key the references; the samples go when their"
                    " enrolments finish or expire"
                )
            if is_left_behind(transaction, self._key_file.current()):
                raise KeyFileFault("an old key still encrypts the key of the aliases: re-key")
            self._sign_erasures()
            count = len(self._key_file.current().keys) - 1
            self._key_file.remove_old()
        return count


def _others(by_key: list[KeyCount], key_id: str) -> list[KeyCount]:
    return [each for each in by_key if each.key_id != key_id]

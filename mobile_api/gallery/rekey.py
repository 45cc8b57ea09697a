"""Use case: every template is renewed under a new key, while the service goes on.

A renewed template is turned by the new key's rotation and encrypted under the new key. First
the new key goes to the head of the ring, under the lock that every enrolment takes: what is
enrolled afterwards is sealed under it. Then references are renewed, some at a time, each time
in one transaction. A renewal that was killed is taken up where it was left, and the old key may
go when nothing is sealed under it any more.
"""

from __future__ import annotations

from collections.abc import Callable

from mobile_api.errors import KeyFileFault
from mobile_api.gallery.template_encryption import TemplateEncryption
from mobile_api.storage.key_ring import KeyRingFile
from mobile_api.storage.template_keys import KeyCount
from mobile_api.storage.transaction import Storage

STEP_ROWS = 200
"""References renewed in one transaction: on SQLite, writers wait for it some 20 ms."""


class Rekeying:
    """Renews the templates of a database.

    Args:
        storage: where they are.
        encryption: seals and opens them by the ring.
        ring: the key file.
    """

    def __init__(
        self, storage: Storage, encryption: TemplateEncryption, ring: KeyRingFile
    ) -> None:
        self._storage, self._encryption, self._ring = storage, encryption, ring

    def begin(self) -> bool:
        """Put a new key on the ring, unless a renewal is under way; tell whether it did.

        Raises:
            KeyFileFault: the ring cannot be read or written, or is full.
        """
        with self._storage.writing() as transaction:
            transaction.history.lock()
            is_under_way = len(self._ring.current().keys) > 1 and _others(
                transaction.template_keys.count_by_key(), self._encryption.key_id
            )
            if is_under_way:
                return False
            self._ring.add_primary()
            return True

    def pending_count(self) -> int:
        """Return how many references are still sealed under other keys than the first."""
        with self._storage.reading() as transaction:
            others = _others(transaction.template_keys.count_by_key(), self._encryption.key_id)
        return sum(each.references for each in others)

    def step(self) -> int:
        """Renew some references; return how many: 0 when all are done.

        Raises:
            DecryptionFailed: a reference does not open.
        """
        with self._storage.writing() as transaction:
            transaction.history.lock()  # before references, as every writer does
            outdated = transaction.template_keys.lock_outdated(
                self._encryption.key_id, STEP_ROWS
            )
            transaction.template_keys.replace(self._encryption.reencrypt(outdated))
        return len(outdated)

    def remove_old_keys(self, wait_for_readers: Callable[[], None] = lambda: None) -> int:
        """Remove every key but the first from the ring; return how many they were.

        Args:
            wait_for_readers: returns when whoever began to read or seal under an old key has ended.

        Raises:
            KeyFileFault: something is still sealed under one of them.
        """
        wait_for_readers()
        with self._storage.writing() as transaction:
            transaction.history.lock()
            others = _others(transaction.template_keys.count_by_key(), self._encryption.key_id)
            references = sum(each.references for each in others)
            samples = sum(each.samples for each in others)
            if references or samples:
                raise KeyFileFault(
                    f"old keys still seal {references} references and {samples} samples of"
                    " pending enrolments: renew the references; the samples are gone when"
                    " their enrolments are finished or expire"
                )
            count = len(self._ring.current().keys) - 1
            self._ring.remove_old()
        return count


def _others(by_key: list[KeyCount], key_id: str) -> list[KeyCount]:
    return [each for each in by_key if each.key_id != key_id]

"""Synchronises a gallery with the database's change feed.

Usually it applies the changes since the gallery's own, account by account. If some are missing,
or do not say of whom, it compares all reference names and reads the differences. If the
database has another history, because a backup was restored, the gallery is rebuilt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, TypeVar
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from engine.gallery.durability.steps import MARK_BYTES
from engine.types import ExtractorId, ReferenceId
from mobile_api.gallery.ports import KeyedGallery
from mobile_api.gallery.template_encryption import TemplateEncryption, group_of
from mobile_api.storage.transaction import Transaction
from mobile_api.types import EncryptedReference, GalleryChange
from oidc.types import AccountId

STEP_ROWS: Final = 1_000
"""References or accounts read at once."""

_T = TypeVar("_T")


class GallerySync:
    """Synchronises one extractor's galleries."""

    def __init__(self, extractor: ExtractorId, encryption: TemplateEncryption) -> None:
        self._extractor, self._encryption = extractor, encryption

    def catch_up(self, keyed: KeyedGallery, transaction: Transaction, head: int) -> None:
        """Bring a gallery to the change ``head``; one thread at a time.

        Raises DecryptionFailed.
        """
        stored = keyed.stored
        changes = [
            c for c in transaction.history.since(stored.sequence - 1) if c.sequence <= head
        ]
        if stored.sequence < 0 or stored.sequence > head or _is_foreign(keyed, changes):
            self._rebuild(keyed, transaction)
        elif stored.is_whole and _are_complete(changes, stored.sequence, head):
            self._apply_changes(keyed, transaction, changes)
        else:
            self._reconcile(keyed, transaction)
        with stored.step(head, changes[-1].mark.bytes if changes else stored.mark):
            stored.is_whole = True

    def repair(
        self, keyed: KeyedGallery, transaction: Transaction, names: Iterable[ReferenceId]
    ) -> None:
        """Load damaged references again."""
        damaged = [name for name in names if name in keyed.stored]
        if damaged:
            rows = [
                row for row in transaction.references.find_many(damaged) if self._is_ours(row)
            ]
            with keyed.stored.step():
                keyed.gallery.erase(damaged)
                keyed.gallery.enrol(self._encryption.decrypt_references(rows))

    def _rebuild(self, keyed: KeyedGallery, transaction: Transaction) -> None:
        """Load everything; what the gallery still holds is reused if it is right."""
        keyed.stored.reset()
        if len(keyed.gallery):
            self._reconcile(keyed, transaction)
            return
        for rows in _batches(transaction.references.all(self._extractor)):
            keyed.gallery.enrol(self._encryption.decrypt_references(rows))

    def _apply_changes(
        self, keyed: KeyedGallery, transaction: Transaction, changes: Sequence[GalleryChange]
    ) -> None:
        accounts = dict.fromkeys(
            c.account for c in changes if c.account and c.sequence > keyed.stored.sequence
        )
        for some in _batches(accounts):
            with keyed.stored.step():
                for account in some:
                    self._apply_account(keyed, transaction, account)

    def _apply_account(
        self, keyed: KeyedGallery, transaction: Transaction, account: AccountId
    ) -> None:
        rows = transaction.references.of_account(account, self._extractor)
        stored = {row.reference_id: row for row in rows}
        held = {r.reference_id for r in keyed.gallery.references_of(group_of(account))}
        if new := [row for name, row in stored.items() if name not in held]:
            keyed.gallery.enrol(self._encryption.decrypt_references(new))
        if gone := [name for name in held if name not in stored]:
            keyed.gallery.erase(gone)

    def _reconcile(self, keyed: KeyedGallery, transaction: Transaction) -> None:
        """Compare all names, erase what is superfluous and read what is missing."""
        held = keyed.stored.names()
        theirs = b"".join(name.bytes for name in transaction.references.ids(self._extractor))
        wanted = np.frombuffer(theirs, "V16")
        ours = np.ascontiguousarray(held[:, :16]).view("V16").ravel()
        is_extra = ~np.isin(ours, wanted)
        for names in _batches(_identifiers(ours[is_extra])):
            keyed.gallery.erase(names)
        for names in _batches(_identifiers(wanted[~np.isin(wanted, ours)])):
            keyed.gallery.enrol(
                self._encryption.decrypt_references(transaction.references.find_many(names))
            )

    def _is_ours(self, row: EncryptedReference) -> bool:
        return row.extractor == self._extractor


def _are_complete(changes: Sequence[GalleryChange], since: int, head: int) -> bool:
    """Tell whether all changes since a number are there, and say of whom.

    A gallery that stands at a number other than 0 finds its own change among them.
    """
    is_known = all(c.account for c in changes if c.sequence > since)
    return is_known and len(changes) == head - since + (1 if since else 0)


def _is_foreign(keyed: KeyedGallery, changes: Sequence[GalleryChange]) -> bool:
    """Tell whether the database has another change where the gallery stopped."""
    stored = keyed.stored
    there = [c for c in changes if c.sequence == stored.sequence]
    mark = stored.mark.ljust(MARK_BYTES, b"\0")  # the log drops trailing zeros
    return bool(there) and there[0].mark.bytes != mark


def _batches(items: Iterable[_T]) -> Iterator[list[_T]]:
    rest = iter(items)
    while batch := list(islice(rest, STEP_ROWS)):
        yield batch


def _identifiers(names: NDArray[np.void]) -> Iterator[ReferenceId]:
    for name in names:
        yield ReferenceId(UUID(bytes=name.tobytes()))

"""Synchronises a gallery with the database's change feed.

Usually it applies the changes since the gallery's position, account by account. If some are
missing, or do not say of whom, it compares all reference names and reads the differences. If
the database has another history, because a backup was restored, the gallery begins again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, TypeVar
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from engine.gallery.port import Position
from engine.types import ExtractorId, ReferenceId
from mobile_api.gallery.ports import KeyedGallery
from mobile_api.gallery.template_encryption import TemplateEncryption, group_of
from mobile_api.storage.database import Transaction
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
        since, change_id = stored.position
        changes = [c for c in transaction.history.since(since - 1) if c.sequence <= head]
        if since > head or _is_foreign(stored.position, changes):
            stored.reset()
            changes = [c for c in transaction.history.since(head - 1) if c.sequence <= head]
        if stored.position.sequence >= 0 and _are_complete(changes, since, head):
            self._apply_changes(keyed, transaction, [c for c in changes if c.sequence > since])
        else:
            self._reconcile(keyed, transaction)
        stored.reach(Position(head, changes[-1].change_id.bytes if changes else change_id))

    def repair(
        self, keyed: KeyedGallery, transaction: Transaction, names: Iterable[ReferenceId]
    ) -> None:
        """Load damaged references again."""
        damaged = [name for name in names if name in keyed.stored]
        if damaged:
            rows = transaction.references.find_many(damaged)
            keyed.stored.erase(damaged)
            self._enrol(keyed, [row for row in rows if row.extractor == self._extractor])

    def _apply_changes(
        self, keyed: KeyedGallery, transaction: Transaction, changes: Iterable[GalleryChange]
    ) -> None:
        for account in dict.fromkeys(c.account for c in changes if c.account):
            self._apply_account(keyed, transaction, account)

    def _apply_account(
        self, keyed: KeyedGallery, transaction: Transaction, account: AccountId
    ) -> None:
        rows = transaction.references.of_account(account, self._extractor)
        stored = {row.reference_id: row for row in rows}
        held = {r.reference_id for r in keyed.stored.references_of(group_of(account))}
        if new := [row for name, row in stored.items() if name not in held]:
            self._enrol(keyed, new)
        if gone := [name for name in held if name not in stored]:
            keyed.stored.erase(gone)

    def _reconcile(self, keyed: KeyedGallery, transaction: Transaction) -> None:
        """Compare all names, erase what is superfluous and read what is missing."""
        held = keyed.stored.names()
        theirs = b"".join(name.bytes for name in transaction.references.ids(self._extractor))
        wanted = np.frombuffer(theirs, "V16")
        ours = np.ascontiguousarray(held[:, :16]).view("V16").ravel()
        is_extra = ~np.isin(ours, wanted)
        for names in _batches(_identifiers(ours[is_extra])):
            keyed.stored.erase(names)
        for names in _batches(_identifiers(wanted[~np.isin(wanted, ours)])):
            self._enrol(keyed, transaction.references.find_many(names))

    def _enrol(self, keyed: KeyedGallery, rows: Sequence[EncryptedReference]) -> None:
        keyed.stored.enrol(self._encryption.rotated_references(rows, keyed.key_id))


def _are_complete(changes: Sequence[GalleryChange], since: int, head: int) -> bool:
    """Return whether all changes since a number are there, and name their account.

    A gallery that stands at a number other than 0 finds its own change among them.
    """
    is_known = all(c.account for c in changes if c.sequence > since)
    return is_known and len(changes) == head - since + (1 if since else 0)


def _is_foreign(position: Position, changes: Sequence[GalleryChange]) -> bool:
    """Return whether the database has another change where the gallery stopped."""
    there = [c for c in changes if c.sequence == position.sequence]
    return bool(there) and there[0].change_id.bytes != position.change_id


def _batches(items: Iterable[_T]) -> Iterator[list[_T]]:
    rest = iter(items)
    while batch := list(islice(rest, STEP_ROWS)):
        yield batch


def _identifiers(names: NDArray[np.void]) -> Iterator[ReferenceId]:
    for name in names:
        yield ReferenceId(UUID(bytes=name.tobytes()))

"""The gallery in memory, kept in step with the encrypted references in the database.

The database is the truth. Every change of an account's references takes a sequence number in
the transaction that makes it; before each search the gallery catches up with the numbers that
were committed meanwhile, by whichever process. So a palm that was deleted in one worker is not
recognised by another one a moment later, and an enrolment that was not committed is in nobody's
gallery.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import islice

from engine.gallery.port import Gallery
from engine.types import ExtractorId
from mobile_api.storage.unit import Storage, Unit
from mobile_api.vault import Vault, group_of
from oidc.types import AccountId

BUILD_ROWS = 1_000
"""References that enter the gallery in one step while it is built."""


class LiveGallery:
    """A gallery that follows the database.

    Args:
        new_gallery: makes an empty gallery.
        extractor: whose references it holds.
        storage: the truth.
        vault: opens references.
    """

    def __init__(
        self,
        new_gallery: Callable[[], Gallery],
        extractor: ExtractorId,
        storage: Storage,
        vault: Vault,
    ) -> None:
        self._new_gallery, self._extractor = new_gallery, extractor
        self._storage, self._vault = storage, vault
        self._lock = threading.Lock()
        self._gallery = new_gallery()
        self._sequence = -1

    def current(self) -> Gallery:
        """Return the gallery as the database has it now."""
        with self._storage.reading() as unit:
            return self.at(unit, unit.history.head())

    def at(self, unit: Unit, head: int) -> Gallery:
        """Return the gallery, brought to a change that is committed.

        Args:
            unit: sees that change.
            head: the change's number.
        """
        if head > self._sequence:
            with self._lock:
                self._catch_up(unit, head)
        return self._gallery

    def _catch_up(self, unit: Unit, head: int) -> None:
        if head <= self._sequence:
            return
        changes = [c for c in unit.history.since(self._sequence) if c.sequence <= head]
        if self._sequence < 0 or len(changes) != head - self._sequence:
            self._rebuild(unit)
        else:
            for account in dict.fromkeys(change.account for change in changes):
                self._refresh(unit, account)
        self._sequence = head

    def _rebuild(self, unit: Unit) -> None:
        gallery = self._new_gallery()
        references = map(self._vault.open_reference, unit.references.all(self._extractor))
        while rows := list(islice(references, BUILD_ROWS)):
            gallery.enrol(rows)
        self._gallery = gallery

    def _refresh(self, unit: Unit, account: AccountId) -> None:
        stored = {
            row.reference_id: row
            for row in unit.references.of_account(account, self._extractor)
        }
        held = {r.reference_id for r in self._gallery.references_of(group_of(account))}
        self._gallery.erase([identifier for identifier in held if identifier not in stored])
        self._gallery.enrol(
            [self._vault.open_reference(row) for key, row in stored.items() if key not in held]
        )

"""Searches each enrolment sample for duplicates on arrival, so that the end is quick.

A sample without a match is remembered in this process, with the gallery change up to which it
was searched. The enrolment's last transaction compares only accounts changed since; a full
search there would block every writer. If anything is missing, everything is searched again.

Each sample is charged on arrival. Results are returned at the end only, and a sample takes
equally long whether it matches or not.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from engine.errors import GalleryFault
from engine.gallery.port import Gallery
from engine.types import Hand, PalmTemplate, Reference
from mobile_api.gallery.template_encryption import group_of
from mobile_api.recognition.identification import ActiveExtractor
from mobile_api.recognition.matcher import mirrored
from mobile_api.storage.database import Database, Transaction
from mobile_api.types import SampleId
from oidc.types import AccountId

MAX_RESULTS: Final = 10_000
"""Some 300 bytes each; the oldest are dropped."""

MAX_CHANGES: Final = 20
"""Beyond it a search is as quick as comparing each account."""


@dataclass(frozen=True, slots=True)
class NoMatch:
    """A sample that matched no account, as it is or mirrored.

    Attributes:
        sequence: the gallery change up to which that holds.
        change_id: of that change, to notice a restored backup.
        comparisons: of its threshold, by hand; more only raise it.
    """

    sequence: int
    change_id: UUID | None
    comparisons: dict[Hand, int]


class DuplicateCheck:
    """Searches samples of pending enrolments for enrolled people."""

    def __init__(self, database: Database, active: ActiveExtractor) -> None:
        self._database, self._active_extractor = database, active
        self._results: OrderedDict[SampleId, NoMatch | None] = OrderedDict()
        self._lock = threading.Lock()

    def search(self, samples: Mapping[SampleId, PalmTemplate]) -> None:
        """Search for each sample and remember those that matched no account.

        If the gallery fails now, the end of the enrolment searches.
        """
        matcher = self._active_extractor.matcher
        with suppress(GalleryFault):
            with self._database.read() as transaction:
                head = transaction.history.head()
                ids = [c.change_id for c in transaction.history.since(head - 1)]
                gallery = self._active_extractor.gallery.at(transaction, head)
            comparisons = {hand: gallery.row_count(hand) for hand in Hand}
            result = NoMatch(head, next(iter(ids), None), comparisons)
            for sample_id, sample in samples.items():
                # Both are searched whatever is found: time must not tell.
                found = [
                    matcher.is_enrolled(gallery, each, comparisons[each.hand])
                    for each in _with_mirrored(sample)
                ]
                self._remember(sample_id, None if any(found) else result)

    def unmatched(
        self,
        transaction: Transaction,
        head: int,
        sample_ids: Iterable[SampleId],
        palms: Mapping[Hand, Sequence[PalmTemplate]],
    ) -> set[Hand]:
        """Return hands whose samples match no account at the locked gallery change ``head``."""
        with self._lock:
            results = [self._results.get(sample_id) for sample_id in sample_ids]
        known = [result for result in results if result is not None]
        if not known or len(known) < len(results):
            return set()
        oldest = min(known, key=lambda result: result.sequence)
        changed = self._changed_since(transaction, oldest, head)
        if changed is None:
            return set()
        gallery = self._active_extractor.gallery.at(transaction, head)
        since = [r for account in changed for r in gallery.references_of(group_of(account))]
        return {
            hand
            for hand, palm in palms.items()
            if _thresholds_hold(known, gallery, len(palm))
            and not self._any_among(since, palm, gallery)
        }

    def _remember(self, sample_id: SampleId, result: NoMatch | None) -> None:
        with self._lock:
            self._results[sample_id] = result
            if len(self._results) > MAX_RESULTS:
                self._results.popitem(last=False)

    def _changed_since(
        self, transaction: Transaction, result: NoMatch, head: int
    ) -> set[AccountId] | None:
        """Return accounts changed since; None if too many or unknown."""
        changes = transaction.history.since(result.sequence - 1)
        ids = [c.change_id for c in changes if c.sequence == result.sequence]
        later = [
            c.account for c in changes if c.account and result.sequence < c.sequence <= head
        ]
        is_foreign = result.change_id is not None and ids != [result.change_id]
        if is_foreign or len(later) != head - result.sequence or len(later) > MAX_CHANGES:
            return None
        return set(later)

    def _any_among(
        self, references: Sequence[Reference], palm: Sequence[PalmTemplate], gallery: Gallery
    ) -> bool:
        """Return whether a palm matches one of the references, as it is or mirrored."""
        is_among = self._active_extractor.matcher.is_among
        return any(
            is_among(references, each, gallery.row_count(each.hand) * len(palm))
            for sample in palm
            for each in _with_mirrored(sample)
        )


def _with_mirrored(sample: PalmTemplate) -> tuple[PalmTemplate, PalmTemplate]:
    return sample, mirrored(sample)


def _thresholds_hold(results: Sequence[NoMatch], gallery: Gallery, sample_count: int) -> bool:
    """Return whether no threshold is lower now than for these searches."""
    return all(
        gallery.row_count(hand) * sample_count >= result.comparisons[hand]
        for result in results
        for hand in Hand
    )

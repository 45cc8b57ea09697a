"""Searches an enrolment's samples for enrolled people before its last transaction.

A full search there would block every writer. So the samples are searched before, all at once,
and the transaction compares only accounts that changed since. If these are unknown or too many,
everything is searched again.
"""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from engine.gallery.port import Gallery
from engine.types import Hand, PalmTemplate
from mobile_api.gallery.template_encryption import group_of
from mobile_api.recognition.identification import ActiveExtractor
from mobile_api.recognition.matcher import mirrored
from mobile_api.storage.database import Database, Transaction
from mobile_api.types import SampleId
from oidc.types import AccountId

MAX_CHANGES: Final = 20
"""Beyond it a search is as quick as comparing each account."""


@dataclass(frozen=True, slots=True)
class Searched:
    """Which samples matched no account, as they are or mirrored.

    Attributes:
        sequence: the gallery change up to which that holds.
        change_id: of that change, to notice a restored backup.
        comparisons: of the thresholds, by hand; more only raise them.
    """

    unmatched: Set[SampleId]
    sequence: int
    change_id: UUID | None
    comparisons: Mapping[Hand, int]


def search(
    database: Database, active: ActiveExtractor, samples: Mapping[SampleId, PalmTemplate]
) -> Searched:
    """Search for each sample. Raises GalleryFault."""
    with database.read() as transaction:
        head = transaction.history.head()
        change_id = next((c.change_id for c in transaction.history.since(head - 1)), None)
        gallery = active.gallery.at(transaction, head)
    comparisons = {hand: gallery.row_count(hand) for hand in Hand}
    unmatched = {
        sample_id
        for sample_id, sample in samples.items()
        if not any(
            active.matcher.is_enrolled(gallery, each, comparisons[each.hand])
            for each in (sample, mirrored(sample))
        )
    }
    return Searched(unmatched, head, change_id, comparisons)


def unmatched_hands(
    transaction: Transaction,
    head: int,
    searched: Searched,
    active: ActiveExtractor,
    samples: Mapping[SampleId, PalmTemplate],
) -> set[Hand]:
    """Return hands whose samples match no account at the locked gallery change ``head``."""
    changed = _changed_since(transaction, searched, head)
    if changed is None:
        return set()
    gallery = active.gallery.at(transaction, head)
    since = [r for account in changed for r in gallery.references_of(group_of(account))]
    hands: set[Hand] = set()
    for hand in Hand:
        palm = {name: each for name, each in samples.items() if each.hand is hand}
        if (
            palm.keys() <= searched.unmatched
            and _thresholds_hold(searched, gallery, len(palm))
            and not any(
                active.matcher.is_among(since, each, gallery.row_count(each.hand) * len(palm))
                for sample in palm.values()
                for each in (sample, mirrored(sample))
            )
        ):
            hands.add(hand)
    return hands


def _changed_since(
    transaction: Transaction, searched: Searched, head: int
) -> set[AccountId] | None:
    """Return accounts changed since; None if too many or unknown."""
    changes = transaction.history.since(searched.sequence - 1)
    ids = [c.change_id for c in changes if c.sequence == searched.sequence]
    later = [c.account for c in changes if c.account and searched.sequence < c.sequence <= head]
    is_foreign = searched.change_id is not None and ids != [searched.change_id]
    if is_foreign or len(later) != head - searched.sequence or len(later) > MAX_CHANGES:
        return None
    return set(later)


def _thresholds_hold(searched: Searched, gallery: Gallery, count: int) -> bool:
    """Return whether no threshold for so many samples is lower now than for the search."""
    return all(gallery.row_count(hand) * count >= searched.comparisons[hand] for hand in Hand)

"""THE ONLY PLACE where an account becomes a pairwise subject, and back.

Subjects are random and stored: no stolen secret reverses them, and each can be deleted, with
its grants in the same transaction. OpenID Connect Core §8.1.
"""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import uuid4

from oidc.accounts import logout_outbox
from oidc.storage.database import Stores
from oidc.types import AccountId, Grant, PairwiseSubject, Pseudonym, SectorIdentifier

_WELL_FORMED: Final = re.compile(
    r"vu-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
)

_UNKNOWN: Final = PairwiseSubject("vu-unknown")
"""Looked up for a malformed subject: the same query for every answer."""


_NOTICES_WITHIN: Final = timedelta(hours=24)
"""When the last client of a deleted person is notified. Its tokens end at once."""


def new_subject() -> PairwiseSubject:
    """Return ``vu-`` and a random UUID (122 random bits)."""
    return PairwiseSubject(f"vu-{uuid4()}")


def subject_for(
    stores: Stores, account: AccountId, sector: SectorIdentifier, now: datetime
) -> PairwiseSubject:
    """Return the account's subject in the sector; assign one if needed."""
    return stores.pseudonyms.assign(account, sector, new_subject(), now)


def subject_of(
    stores: Stores, account: AccountId, sector: SectorIdentifier
) -> PairwiseSubject | None:
    """Return the account's subject in the sector, or None."""
    return stores.pseudonyms.subject_of(account, sector)


def account_of(stores: Stores, user_id: str, sector: SectorIdentifier) -> AccountId | None:
    """Return the account, or None: the same for unknown, deleted, foreign and malformed.

    Specification §4.6.
    """
    subject = PairwiseSubject(user_id) if _WELL_FORMED.fullmatch(user_id) else _UNKNOWN
    return stores.pseudonyms.account_of(subject, sector)


def pseudonyms_of(stores: Stores, account: AccountId) -> list[Pseudonym]:
    """Return the active pseudonyms, for ``linked_clients`` only."""
    return stores.pseudonyms.of_account(account)


def disconnect(stores: Stores, subject: PairwiseSubject, now: datetime) -> bool:
    """End a pseudonym and its grants; False if it was not active.

    It is locked first: a concurrent grant commits before, and is found.
    """
    was_alive = stores.pseudonyms.delete(subject)
    ended = _end(stores, [subject], now)
    logout_outbox.enqueue_all_sessions(stores, ended, now)
    return was_alive


def disconnect_all(stores: Stores, account: AccountId, now: datetime) -> int:
    """End the pseudonyms of a deleted account; return how many.

    Their clients are notified at random times, so that two of them cannot tell by the moment
    that they lost the same person.
    """
    subjects = stores.pseudonyms.delete_all(account)
    if subjects:
        ended = _end(stores, subjects, now)
        logout_outbox.enqueue_all_sessions(stores, ended, now, within=_NOTICES_WITHIN)
    return len(subjects)


def _end(stores: Stores, subjects: Sequence[PairwiseSubject], now: datetime) -> list[Grant]:
    """End what deleted pseudonyms were given; return the grants that were valid."""
    ended = stores.grants.end_subjects(subjects, now)
    stores.consents.remove(subjects)
    stores.developers.delete_subjects(subjects)
    stores.sign_ins.remove(subjects)
    return ended

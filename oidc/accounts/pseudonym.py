"""THE ONLY PLACE where an account becomes a pairwise subject, and back.

Subjects are random and stored, never computed from the account: no stolen secret reverses them,
and each can be withdrawn. A withdrawn subject takes every grant made for it along, in the same
transaction, so that codes, refresh tokens and access tokens die with it. OpenID Connect Core
§8.1.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from oidc.accounts import logout_outbox
from oidc.types import PairwiseSubject

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from oidc.storage.transactions import Stores
    from oidc.types import AccountId, Pseudonym, SectorIdentifier

_WELL_FORMED: Final = re.compile(
    r"vu-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
)

_NOBODY: Final = PairwiseSubject("vu-nobody")
"""Asked for in place of a malformed subject, so that every answer costs the same query."""


def new_subject() -> PairwiseSubject:
    """Return a fresh pseudonym: ``vu-`` and a random UUID (122 random bits)."""
    return PairwiseSubject(f"vu-{uuid4()}")


def subject_for(
    stores: Stores,
    account: AccountId,
    sector: SectorIdentifier,
    now: datetime,
    propose: Callable[[], PairwiseSubject] = new_subject,
) -> PairwiseSubject:
    """Return what the account is called within the sector; name it if it has no name there."""
    return stores.pseudonyms.assign(account, sector, propose(), now)


def subject_of(
    stores: Stores, account: AccountId, sector: SectorIdentifier
) -> PairwiseSubject | None:
    """Return what the account is called within the sector; None if it has no name there."""
    return stores.pseudonyms.subject_of(account, sector)


def account_of(stores: Stores, user_id: str, sector: SectorIdentifier) -> AccountId | None:
    """Return whom a client means; None alike for unknown, withdrawn, foreign and malformed.

    Specification §4.6. One query in every case.
    """
    subject = PairwiseSubject(user_id) if _WELL_FORMED.fullmatch(user_id) else _NOBODY
    return stores.pseudonyms.account_of(subject, sector)


def pseudonyms_of(stores: Stores, account: AccountId) -> list[Pseudonym]:
    """Return every living pseudonym of the account. For ``connections`` only."""
    return stores.pseudonyms.of_account(account)


def withdraw(stores: Stores, subject: PairwiseSubject, now: datetime) -> bool:
    """End one pseudonym and all that was granted for it; False if it was not alive.

    A later login of the same account in the same sector gets a new one. The pseudonym is locked
    first: whoever grants something for it at this moment is waited for, and found.
    """
    was_alive = stores.pseudonyms.withdraw(subject, now)
    _end(stores, [subject], now)
    return was_alive


def withdraw_all(stores: Stores, account: AccountId, now: datetime) -> int:
    """End every pseudonym of a deleted account and all that was granted; return how many."""
    subjects = stores.pseudonyms.withdraw_all(account, now)
    if subjects:
        _end(stores, subjects, now)
    return len(subjects)


def _end(stores: Stores, subjects: Sequence[PairwiseSubject], now: datetime) -> None:
    """End what was granted and allowed; the clients are told that the person is gone."""
    ended = stores.grants.revoke_subjects(subjects, now)
    logout_outbox.enqueue_all_sessions(stores, ended, now)
    stores.consents.remove(subjects)

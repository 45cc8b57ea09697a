"""Codes of accounts, as digests: to delete one, to trust a phone, to dispute a palm."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import IntEnum
from typing import Final

from sqlalchemy import Connection, Table, case, func, insert, select

from engine.types import Hand
from mobile_api.storage import schema as t
from mobile_api.types import DeviceId
from oidc.plumbing.store import Store, rows
from oidc.types import AccountId


@dataclass(frozen=True, slots=True)
class Dispute:
    """A person found a palm enrolled already, in this account and as this hand.

    Attributes:
        claimant: the phone that found it, while it is there.
        is_contrary: it showed another palm beside it than the account has.
        opened_at: aware, UTC.
    """

    account: AccountId = field(repr=False)
    hand: Hand
    claimant: DeviceId | None = field(repr=False)
    is_contrary: bool
    opened_at: datetime


class PalmLock(IntEnum):
    """Where a disputed palm opens nothing; each is stricter than those before."""

    NOWHERE = 0
    PALM_ALONE = 1
    """It signs in only on a phone that its account trusts."""
    NEW_PHONES = 2
    """Nor does it let a new phone ask for trust."""
    EVERYWHERE = 3


LOCKED_FOR: Final = timedelta(days=30)
"""How long a dispute keeps a palm from opening anything."""


class AccountCodes(Store):
    """At most one code per account, for one purpose."""

    def __init__(self, connection: Connection, table: Table = t.deletion_codes) -> None:
        super().__init__(connection)
        self._codes = table

    def replace(self, account: AccountId, digest: bytes) -> None:
        """Save the account's code; an earlier one stops working."""
        self.remove(account)
        self._connection.execute(insert(self._codes).values(account=account, digest=digest))

    def find(self, digest: bytes) -> AccountId | None:
        """Return the account of a code, or None."""
        return self._value(self._codes.c.account, digest=digest)

    def has_any(self, account: AccountId) -> bool:
        """Return whether the account has a code."""
        return self._has(self._codes, account=account)

    def remove(self, account: AccountId) -> None:
        """Delete the account's code."""
        self._delete(self._codes, account=account)


class Disputes(Store):
    """Disputes by the digests of their codes; they end with their account."""

    def add(self, digest: bytes, dispute: Dispute) -> None:
        """Save a dispute; of a phone's contrary ones only the first counts as that."""
        its = {"account": dispute.account, "hand": dispute.hand, "claimant": dispute.claimant}
        is_later = self._has(t.disputes, t.disputes.c.is_contrary, **its)
        kept = replace(dispute, is_contrary=dispute.is_contrary and not is_later)
        self._add(t.disputes, kept, digest=digest)

    def find(self, digest: bytes) -> Dispute | None:
        """Return the dispute of a code, or None."""
        return self._one(Dispute, rows(t.disputes, digest=digest))

    def has_any(self, account: AccountId, hand: Hand) -> bool:
        """Return whether there is a dispute about this palm of an account."""
        return self._has(t.disputes, account=account, hand=hand)

    def lock_of(self, account: AccountId, hand: Hand, now: datetime) -> PalmLock:
        """Return where this palm of an account opens nothing."""
        its = t.disputes.c
        since = {
            PalmLock.EVERYWHERE: func.max(its.suspended_on),
            PalmLock.NEW_PHONES: func.max(case((its.is_contrary, its.opened_at))),
            PalmLock.PALM_ALONE: func.max(its.opened_at),
        }
        palm = its.account == account, its.hand == hand
        days = select(func.max(its.dismissed_on), *since.values()).where(*palm)
        dismissed_on, *found = self._connection.execute(days).one()
        for lock, day in zip(since, found, strict=True):
            holds = dismissed_on is None or lock is PalmLock.EVERYWHERE
            if holds and day is not None and now < day + LOCKED_FOR:
                return lock
        return PalmLock.NOWHERE

    def suspend(self, account: AccountId, hand: Hand, now: datetime) -> None:
        """Lock this palm of an account everywhere for a time."""
        self._update(t.disputes, {"suspended_on": now}, account=account, hand=hand)

    def dismiss(self, account: AccountId, hand: Hand, now: datetime) -> None:
        """Unlock this palm; no later dispute locks it while these are kept."""
        dismissed = {"suspended_on": None, "dismissed_on": now}
        self._update(t.disputes, dismissed, account=account, hand=hand)

    def remove_of(self, account: AccountId, hand: Hand) -> None:
        """Delete every dispute about this palm of an account."""
        self._delete(t.disputes, account=account, hand=hand)

"""Codes of accounts, as digests: to delete one, to trust a phone, to dispute a palm."""

from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Table,
    case,
    delete,
    func,
    insert,
    select,
    update,
)

from engine.types import Hand
from mobile_api.storage import schema as t
from mobile_api.types import DeviceId, Dispute, PalmLock
from oidc.plumbing.store import Store
from oidc.types import AccountId

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
        codes = self._codes.c
        return self._connection.execute(
            select(codes.account).where(codes.digest == digest)
        ).scalar_one_or_none()

    def has_any(self, account: AccountId) -> bool:
        """Return whether the account has a code."""
        mine = select(self._codes.c.digest).where(self._codes.c.account == account)
        return self._exists(mine)

    def remove(self, account: AccountId) -> None:
        """Delete the account's code."""
        self._connection.execute(delete(self._codes).where(self._codes.c.account == account))


class Disputes(Store):
    """Disputes by the digests of their codes; they end with their account."""

    def add(self, digest: bytes, dispute: Dispute) -> None:
        """Save a dispute; of a phone's contrary ones only the first counts as that."""
        its = t.disputes.c
        earlier = select(its.digest).where(
            *_its(dispute.account, dispute.hand),
            its.claimant == dispute.claimant,
            its.is_contrary,
        )
        is_first = not self._exists(earlier)
        values = {
            "digest": digest,
            "account": dispute.account,
            "hand": dispute.hand.value,
            "opened_at": dispute.opened_at,
            "claimant": dispute.claimant,
            "is_contrary": dispute.is_contrary and is_first,
        }
        self._connection.execute(insert(t.disputes).values(values))

    def find(self, digest: bytes) -> Dispute | None:
        """Return the dispute of a code, or None."""
        row = self._connection.execute(
            select(t.disputes).where(t.disputes.c.digest == digest)
        ).one_or_none()
        if row is None:
            return None
        claimant = row.claimant and DeviceId(row.claimant)
        return Dispute(
            AccountId(row.account), Hand(row.hand), claimant, row.is_contrary, row.opened_at
        )

    def has_any(self, account: AccountId, hand: Hand) -> bool:
        """Return whether there is a dispute about this palm of an account."""
        return self._exists(select(t.disputes.c.digest).where(*_its(account, hand)))

    def lock_of(self, account: AccountId, hand: Hand, now: datetime) -> PalmLock:
        """Return where this palm of an account opens nothing."""
        its = t.disputes.c
        since = {
            PalmLock.EVERYWHERE: func.max(its.suspended_on),
            PalmLock.NEW_PHONES: func.max(case((its.is_contrary, its.opened_at))),
            PalmLock.PALM_ALONE: func.max(its.opened_at),
        }
        days = select(func.max(its.dismissed_on), *since.values()).where(*_its(account, hand))
        dismissed_on, *found = self._connection.execute(days).one()
        for lock, day in zip(since, found, strict=True):
            holds = dismissed_on is None or lock is PalmLock.EVERYWHERE
            if holds and day is not None and now < day + LOCKED_FOR:
                return lock
        return PalmLock.NOWHERE

    def suspend(self, account: AccountId, hand: Hand, now: datetime) -> None:
        """Lock this palm of an account everywhere for a time."""
        its = update(t.disputes).where(*_its(account, hand))
        self._connection.execute(its.values(suspended_on=now))

    def dismiss(self, account: AccountId, hand: Hand, now: datetime) -> None:
        """Unlock this palm; no later dispute locks it while these are kept."""
        its = update(t.disputes).where(*_its(account, hand))
        self._connection.execute(its.values(suspended_on=None, dismissed_on=now))

    def remove_of(self, account: AccountId, hand: Hand) -> None:
        """Delete every dispute about this palm of an account."""
        self._connection.execute(delete(t.disputes).where(*_its(account, hand)))

    def purge(self, before: datetime) -> None:
        """Delete disputes older than this."""
        self._connection.execute(delete(t.disputes).where(t.disputes.c.opened_at < before))


def _its(account: AccountId, hand: Hand) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return t.disputes.c.account == account, t.disputes.c.hand == hand.value

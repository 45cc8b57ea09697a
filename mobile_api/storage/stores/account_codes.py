"""Codes of accounts, as digests: to delete one, to trust a phone, to dispute a palm."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, Table, delete, insert, select

from engine.types import Hand
from mobile_api.storage import schema as t
from mobile_api.types import Dispute
from oidc.plumbing.store import Store
from oidc.types import AccountId


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
        """Tell whether the account has a code."""
        mine = select(self._codes.c.digest).where(self._codes.c.account == account)
        return self._connection.execute(mine).first() is not None

    def remove(self, account: AccountId) -> None:
        """Delete the account's code."""
        self._connection.execute(delete(self._codes).where(self._codes.c.account == account))


class Disputes(Store):
    """Disputes by the digests of their codes; they end with their account."""

    def add(self, digest: bytes, dispute: Dispute) -> None:
        """Save a dispute."""
        values = {
            "digest": digest,
            "account": dispute.account,
            "hand": dispute.hand.value,
            "opened_at": dispute.opened_at,
        }
        self._connection.execute(insert(t.disputes).values(values))

    def find(self, digest: bytes) -> Dispute | None:
        """Return the dispute of a code, or None."""
        row = self._connection.execute(
            select(t.disputes).where(t.disputes.c.digest == digest)
        ).one_or_none()
        if row is None:
            return None
        return Dispute(AccountId(row.account), Hand(row.hand), row.opened_at)

    def remove_of(self, account: AccountId, hand: Hand) -> None:
        """Delete every dispute about this palm of an account."""
        disputes = t.disputes.c
        its = disputes.account == account, disputes.hand == hand.value
        self._connection.execute(delete(t.disputes).where(*its))

    def purge(self, before: datetime) -> None:
        """Delete disputes older than this."""
        self._connection.execute(delete(t.disputes).where(t.disputes.c.opened_at < before))

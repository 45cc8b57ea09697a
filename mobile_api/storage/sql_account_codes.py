"""Codes of accounts in SQL, deleted with their accounts."""

from __future__ import annotations

from sqlalchemy import Connection, Table, delete, insert, select

from mobile_api.storage import schema as t
from mobile_api.storage.sql_store import SqlStore
from oidc.types import AccountId


class SqlAccountCodes(SqlStore):
    """Implements ``storage.account_codes.AccountCodes`` in one table."""

    def __init__(self, connection: Connection, table: Table = t.deletion_codes) -> None:
        super().__init__(connection)
        self._codes = table

    def replace(self, account: AccountId, digest: bytes) -> None:
        """Save the account's only code."""
        self.remove(account)
        self.connection.execute(insert(self._codes).values(account=account, digest=digest))

    def find(self, digest: bytes) -> AccountId | None:
        """Return the account of a code."""
        codes = self._codes.c
        return self.connection.execute(
            select(codes.account).where(codes.digest == digest)
        ).scalar_one_or_none()

    def has_any(self, account: AccountId) -> bool:
        """Tell whether the account has a code."""
        mine = select(self._codes.c.digest).where(self._codes.c.account == account)
        return self.connection.execute(mine).first() is not None

    def remove(self, account: AccountId) -> None:
        """Delete the account's code."""
        self.connection.execute(delete(self._codes).where(self._codes.c.account == account))

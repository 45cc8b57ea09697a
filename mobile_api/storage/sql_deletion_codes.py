"""Deletion codes in SQL, deleted with their accounts."""

from __future__ import annotations

from sqlalchemy import delete, insert, select

from mobile_api.storage import schema as t
from mobile_api.storage.sql_store import SqlStore
from oidc.types import AccountId


class SqlDeletionCodes(SqlStore):
    """Implements ``storage.deletion_codes.DeletionCodes``."""

    def replace(self, account: AccountId, digest: bytes) -> None:
        """Save the account's only code."""
        codes = t.deletion_codes
        self.connection.execute(delete(codes).where(codes.c.account == account))
        self.connection.execute(insert(codes).values(account=account, digest=digest))

    def find(self, digest: bytes) -> AccountId | None:
        """Return the account of a code."""
        codes = t.deletion_codes
        return self.connection.execute(
            select(codes.c.account).where(codes.c.digest == digest)
        ).scalar_one_or_none()

"""Gives every account and phone of this database its alias, once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import bindparam, delete, insert, select, update

from oidc.plumbing.schema_version import rewrite_later
from oidc.plumbing.store import Store
from oidc.storage.schema import (
    account_aliases,
    browser_sessions,
    known_browsers,
    logins,
    pseudonyms,
    sign_ins,
)
from oidc.types import AccountId

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Column, Table

    from oidc.aliases import Aliases

_BATCH: Final = 10_000
"""Rows that are read and written at a time."""

_ACCOUNTS: Final = (
    (pseudonyms, pseudonyms.c.account),
    (browser_sessions, browser_sessions.c.account),
    (logins, logins.c.account),
    (logins, logins.c.expected_account),
)

_PHONES: Final = (
    (sign_ins, sign_ins.c.claimant),
    (logins, logins.c.claimant),
)


class AliasStore(Store):
    """Says whose aliases this database holds."""

    def proof(self) -> AccountId | None:
        """Return the proof of the keys that made the aliases; None: there are no aliases."""
        return self._connection.execute(select(account_aliases.c.proof)).scalar_one_or_none()

    def forget_proof(self) -> None:
        """Forget whose aliases they are: the other database is lost."""
        self._connection.execute(delete(account_aliases))

    def introduce(self, aliases: Aliases) -> None:
        """Replace every account and phone by its alias, and note whose aliases they are.

        Known browsers go: their digests are of an account and a secret that is not here.
        """
        for table, column in _ACCOUNTS:
            self._replace(table, column, aliases.alias_of)
        for table, column in _PHONES:
            self._replace(table, column, aliases.alias_of_phone)
        self._connection.execute(delete(known_browsers))
        self._connection.execute(insert(account_aliases).values(only=1, proof=aliases.proof))
        if self._connection.dialect.name == "sqlite":
            rewrite_later(self._connection)

    def _replace(
        self, table: Table, column: Column[Any], alias_of: Callable[[Any], Any]
    ) -> None:
        """Replace a column by batches, in the order of the primary key."""
        (key,) = table.primary_key.columns
        batch = select(key, column).where(column.is_not(None)).order_by(key).limit(_BATCH)
        change = (
            update(table)
            .where(key == bindparam("row"))
            .values({column: bindparam("alias", type_=column.type)})
        )
        rows = self._connection.execute(batch).all()
        while rows:
            self._connection.execute(
                change, [{"row": row[0], "alias": alias_of(row[1])} for row in rows]
            )
            rows = self._connection.execute(batch.where(key > rows[-1][0])).all()

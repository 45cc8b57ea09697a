"""Base of the stores. No store commits.

Frequent statements are built once per module: building takes three times as long as running.
"""

from __future__ import annotations

from functools import cache

from sqlalchemy import Connection, Executable, Table
from sqlalchemy.dialects import sqlite


class Store:
    """A store within one transaction."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def insert_if_absent(self, table: Table, **values: object) -> bool:
        """Insert a row; False if its primary key is taken."""
        statement = _insert_once(table, self.connection.dialect.name)
        return self.connection.execute(statement, values).first() is not None


@cache
def _insert_once(table: Table, dialect: str) -> Executable:
    """Return an insert that yields the key, or nothing if it is taken."""
    # Told by the returned key: the row count of such a statement differs by driver.
    key = table.primary_key.columns.values()[0]
    if dialect == "sqlite":
        return sqlite.insert(table).on_conflict_do_nothing().returning(key)
    from sqlalchemy.dialects import postgresql  # noqa: PLC0415 - SQLite needs none of it

    return postgresql.insert(table).on_conflict_do_nothing().returning(key)

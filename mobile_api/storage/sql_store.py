"""What every store in SQL has: the connection of its transaction. No store commits."""

from __future__ import annotations

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.dml import Insert


class SqlStore:
    """A store within one transaction."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def insert_once(self, statement: Insert) -> bool:
        """Insert; False, and nothing changed, if the primary key is taken."""
        return self.connection.execute(statement).rowcount == 1

    def or_nothing(self, table: Table, **values: object) -> Insert:
        """Return an INSERT that does nothing where a unique key is taken."""
        if self.connection.dialect.name == "sqlite":
            return sqlite.insert(table).values(**values).on_conflict_do_nothing()
        return postgresql.insert(table).values(**values).on_conflict_do_nothing()

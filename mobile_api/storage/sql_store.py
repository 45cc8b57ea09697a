"""What every store in SQL has: the connection of its transaction. No store commits."""

from __future__ import annotations

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite


class SqlStore:
    """A store within one transaction."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def insert_once(self, table: Table, **values: object) -> bool:
        """Insert a row; False, and nothing changed, where its primary key is taken."""
        # Told by the returned key: the row count of such a statement differs by driver.
        key = table.primary_key.columns.values()[0]
        if self.connection.dialect.name == "sqlite":
            statement = sqlite.insert(table).values(**values).on_conflict_do_nothing()
            return self.connection.execute(statement.returning(key)).first() is not None
        insert = postgresql.insert(table).values(**values).on_conflict_do_nothing()
        return self.connection.execute(insert.returning(key)).first() is not None

"""What a service sends to its SQLite database, and a table that is away."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from sqlalchemy import event

from oidc.plumbing.database import Database as AnyDatabase
from oidc.storage.database import Database

_VALUES: Final = re.compile(r"[xX]?'(?:[^']|'')*'|\b\d+\b")


@contextmanager
def statements(database: Database) -> Iterator[list[str]]:
    """Write down every statement but commits, without its values, while the context lasts."""
    sent: list[str] = []

    def note(statement: str) -> None:
        if not statement.startswith("COMMIT"):
            sent.append(_VALUES.sub("?", statement))

    def listen(connection: Any, _record: object) -> None:
        connection.set_trace_callback(note)

    database.close()  # connections that were kept open are opened again
    event.listen(database.engine, "connect", listen)
    yield sent
    event.remove(database.engine, "connect", listen)
    database.close()


@contextmanager
def without(database: AnyDatabase[Any], table: str) -> Iterator[None]:
    """Let requests that need a table end in 503 while the context lasts."""
    with database.transaction() as connection:
        connection.exec_driver_sql(f"ALTER TABLE {table} RENAME TO away")
    yield
    with database.transaction() as connection:
        connection.exec_driver_sql(f"ALTER TABLE away RENAME TO {table}")

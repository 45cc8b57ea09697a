"""Opens the biometric database, SQLite or PostgreSQL, and runs transactions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Final

from sqlalchemy import Engine

from mobile_api.storage.process_lock import process_lock
from mobile_api.storage.transaction import Transaction
from oidc.plumbing import database_engine as engines

CONNECTIONS: Final = 60
"""Most connections: 40 request threads may wait for the gallery sync, which needs two."""

WAIT_S: Final = 30
"""How long a transaction waits for a connection, and a SQLite writer for another one."""


def open_engine(database_url: str) -> Engine:
    """Return an engine of the biometric database."""
    return engines.open_engine(database_url, most_connections=CONNECTIONS, wait_s=WAIT_S)


class Database:
    """Begins transactions."""

    def __init__(self, engine: Engine) -> None:
        self._reading = engine
        self._writing = engines.writing(engine)

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """Begin a read-only transaction."""
        with self._reading.connect() as connection, connection.begin() as begun:
            yield Transaction(connection)
            begun.rollback()

    @contextmanager
    def writing(self) -> Iterator[Transaction]:
        """Begin a transaction: committed at the block's end, rolled back on an exception."""
        with self._writing.begin() as connection:
            yield Transaction(connection)

    def process_lock(self, work: str) -> AbstractContextManager[None]:
        """Hold a named lock across all processes of this database."""
        return process_lock(self._reading, work)

    def compact(self) -> None:
        """Truncate SQLite's log, unless it is in use: no file holds what was deleted."""
        engines.truncate_log(self._reading, WAIT_S)

    def close(self) -> None:
        """Close all connections."""
        self._reading.dispose()

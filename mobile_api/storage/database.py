"""Opens the biometric database, SQLite or PostgreSQL, and runs transactions.

SQLite: WAL, synchronous=FULL, foreign keys on, deleted rows overwritten. A writing transaction
starts with BEGIN IMMEDIATE, so that two writers wait instead of failing half-way.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final

from sqlalchemy import Connection, Engine, create_engine, event, make_url

from mobile_api.storage.connection_checks import check_before_use, connect_parameters
from mobile_api.storage.process_lock import process_lock
from mobile_api.storage.transaction import Transaction

BUSY_TIMEOUT_MS: Final = 30_000
"""How long a SQLite writer waits for another one."""

COMPACT_TIMEOUT_MS: Final = 200
"""How long truncating the WAL waits for readers; writers wait meanwhile."""

CONNECTIONS: Final = 10
"""Pool size."""

MORE_CONNECTIONS: Final = 50
"""Overflow of the pool: 40 request threads may wait for the gallery sync, which needs two."""

_WRITING: Final = {"thenar_writing": True}


def open_engine(database_url: str) -> Engine:
    """Return an engine whose errors never show statement parameters."""
    url = make_url(database_url)
    is_server = url.get_backend_name() != "sqlite"
    engine = create_engine(
        url,
        pool_size=CONNECTIONS,
        max_overflow=MORE_CONNECTIONS,
        hide_parameters=True,
        pool_use_lifo=True,  # the one used last still holds what SQLite read for it
        connect_args=connect_parameters(url) if is_server else {},
    )
    if is_server:
        check_before_use(engine)
    else:
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _record: object) -> None:  # noqa: ANN401
    connection.isolation_level = None  # we say BEGIN ourselves
    for pragma in (
        f"busy_timeout={BUSY_TIMEOUT_MS}",
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
        "secure_delete=ON",  # what is deleted is overwritten
    ):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Connection) -> None:
    writing = connection.get_execution_options().get("thenar_writing", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")


def writing(engine: Engine) -> Engine:
    """Return the engine for writing transactions: on SQLite they take the lock at BEGIN."""
    return engine.execution_options(**_WRITING)


class Database:
    """Begins transactions."""

    def __init__(self, engine: Engine) -> None:
        self._reading = engine
        self._writing = writing(engine)

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
        """Truncate SQLite's WAL, unless it is in use, so that no file holds deleted rows.

        PostgreSQL vacuums by itself.
        """
        if self._reading.dialect.name != "sqlite":
            return
        with self._reading.connect() as connection:
            driver = connection.connection.driver_connection
            if driver is not None:
                driver.execute(f"PRAGMA busy_timeout={COMPACT_TIMEOUT_MS}")
                driver.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                driver.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}")

    def close(self) -> None:
        """Close all connections."""
        self._reading.dispose()

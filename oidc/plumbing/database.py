"""Transactions of a database, SQLite or PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import ClassVar, Final, Generic, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnectionInTime
from sqlalchemy.pool import QueuePool

from oidc.errors import DatabaseUnavailable
from oidc.plumbing import database_engine as engines
from oidc.plumbing.kept_connections import KeptConnections

S = TypeVar("S")
"""The stores of one transaction, made from its connection."""

_UNAVAILABLE: Final = (OperationalError, InterfaceError, NoConnectionInTime)
"""SQLAlchemy's errors for a database that does not respond; the driver has its own."""


class Database(Generic[S]):
    """Opens transactions. They block, and raise ``DatabaseUnavailable``.

    A service has a subclass of its own, which says what its stores are.

    Attributes:
        name: in messages.
        wait_s: how long a transaction waits for a connection or the writer lock.
        new_stores: makes the stores of a transaction.
        engine: for migrations.
        is_server: whether a transaction waits for another machine, not for a file.
    """

    name: ClassVar[str]
    wait_s: ClassVar[int]
    new_stores: Callable[[Connection], S]

    def __init__(self, engine: Engine) -> None:
        self.engine, self.is_server = engine, engine.dialect.name != "sqlite"
        self._readers = KeptConnections(engines.reading(engine))
        self._writers = KeptConnections(engines.writing(engine))
        self._writer_lock = Lock()
        faults = engine.dialect.loaded_dbapi
        self._unavailable = (*_UNAVAILABLE, faults.OperationalError, faults.InterfaceError)

    @contextmanager
    def read(self) -> Iterator[S]:
        """Open the stores for reading.

        Each statement sees what was committed when it began; reads that must agree with each
        other belong in a write transaction.
        """
        with self.translate_unavailable(), self._readers.connection() as connection:
            yield self.new_stores(connection)

    @contextmanager
    def read_in_transaction(self) -> Iterator[S]:
        """Open the stores for reads that fetch many rows in batches.

        On SQLite all of them see one state.
        """
        with (
            self.translate_unavailable(),
            self.engine.connect() as connection,
            connection.begin() as begun,
        ):
            yield self.new_stores(connection)
            begun.rollback()

    @contextmanager
    def write(self) -> Iterator[S]:
        """Open a transaction that commits at the end and rolls back on an exception."""
        with self.transaction() as connection, self.stores(connection) as stores:
            yield stores

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Open a write transaction on a bare connection."""
        with (
            self.translate_unavailable(),
            self._turn(),
            self._writers.connection() as connection,
            connection.begin(),
        ):
            yield connection

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Let one writer of this process run at a time, if it is SQLite.

        SQLite makes waiting writers sleep longer and longer; threads that wait here are served
        in turn. Other processes still wait in SQLite.
        """
        waits = not self.is_server
        if waits and not self._writer_lock.acquire(timeout=self.wait_s):
            raise self.unavailable()
        try:
            yield
        finally:
            if waits:
                self._writer_lock.release()

    @contextmanager
    def stores(self, connection: Connection) -> Iterator[S]:
        """Yield the stores of a write transaction."""
        yield self.new_stores(connection)

    @contextmanager
    def translate_unavailable(self) -> Iterator[None]:
        """Raise ``DatabaseUnavailable`` for errors of a database that does not respond."""
        try:
            yield
        except self._unavailable as fault:
            if self.is_server and _is_of_the_connection(fault):
                self.close()  # what lies idle may be as dead
            raise self.unavailable() from fault

    def unavailable(self) -> DatabaseUnavailable:
        """Return the error of a database that does not answer in time."""
        return DatabaseUnavailable(f"{self.name} does not answer")

    def connections_in_use(self) -> int:
        """Return how many of a server's connections this process uses now."""
        pool = self.engine.pool
        return pool.checkedout() if isinstance(pool, QueuePool) else 0

    def compact(self) -> None:
        """Truncate SQLite's log, unless it is in use: no file holds what was deleted."""
        with self.translate_unavailable():
            engines.truncate_log(self.engine, self.wait_s)

    def close(self) -> None:
        """Close idle connections. Later transactions open new ones."""
        self._readers.close()
        self._writers.close()
        self.engine.dispose()


def _is_of_the_connection(fault: Exception) -> bool:
    """Whether other connections may be as dead: not after a deadlock, SQLSTATE class 40."""
    state = getattr(getattr(fault, "orig", fault), "sqlstate", None)
    return not isinstance(fault, NoConnectionInTime) and not (state or "").startswith("40")

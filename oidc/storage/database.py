"""Engines and transactions of the protocol database."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from threading import Lock
from typing import TYPE_CHECKING, Final, TypeVar

from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnectionInTime

from oidc.errors import DatabaseUnavailable
from oidc.storage import engine as engines
from oidc.storage.read_pool import ReadPool
from oidc.storage.sql.group_commit import SqliteTransactions
from oidc.storage.sql.postgres_async import PostgresTransactions
from oidc.storage.transactions import Stores, ThreadNeeded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from oidc.storage.transactions import AsyncTransactions

T = TypeVar("T")

_CONNECTIONS: Final = 40
"""Most connections of a process."""

_WAIT_S: Final = 10
"""How long a transaction waits for a connection or the writer lock."""

_UNAVAILABLE: Final = (OperationalError, InterfaceError, NoConnectionInTime)
"""SQLAlchemy's errors for a database that does not respond; the driver has its own."""


class Database:
    """Opens transactions on the protocol database.

    All raise ``DatabaseUnavailable``. They block, except ``read`` within ``asynchronous.run``.
    """

    def __init__(self, engine: Engine) -> None:
        is_server = engine.dialect.name != "sqlite"
        self._engine = engine
        self._read_pool = ReadPool(engine, Stores)
        self._writing = engines.writing(engine)
        self._writer_lock: AbstractContextManager[None] = (
            nullcontext() if is_server else _WriterLock()
        )
        faults = engine.dialect.loaded_dbapi
        self._unavailable = (*_UNAVAILABLE, faults.OperationalError, faults.InterfaceError)
        self._sqlite = None if is_server else SqliteTransactions(self)
        self._postgres = PostgresTransactions(engine, Stores, self)
        event.listen(engine, "engine_disposed", lambda _engine: self._postgres.close())

    @contextmanager
    def read(self) -> Iterator[Stores]:
        """Open a read-only transaction."""
        stores = self._postgres.reading()
        if stores is not None:
            yield stores
            return
        with self.translate_unavailable(), self._read_pool.reading() as stores:
            yield stores

    @contextmanager
    def write(self) -> Iterator[Stores]:
        """Open a transaction that commits at the end and rolls back on an exception."""
        if self._postgres.reading() is not None:
            raise ThreadNeeded
        with self.transaction() as connection, self.stores(connection) as stores:
            yield stores

    def do(self, work: Callable[[Stores], T]) -> T:
        """Run ``work`` in a transaction of its own. Blocking."""
        with self.write() as stores:
            return work(stores)

    @property
    def asynchronous(self) -> AsyncTransactions:
        """Transactions for an event loop."""
        return self._postgres if self._sqlite is None else self._sqlite

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Open a write transaction on a bare connection."""
        with (
            self.translate_unavailable(),
            self._writer_lock,
            self._writing.begin() as connection,
        ):
            yield connection

    @contextmanager
    def stores(self, connection: Connection) -> Iterator[Stores]:
        """Yield the stores of a write transaction; append the audit entries at the end."""
        stores = Stores(connection)
        yield stores
        stores.append_audit_entries()

    @contextmanager
    def translate_unavailable(self) -> Iterator[None]:
        """Raise ``DatabaseUnavailable`` for errors of a database that does not respond."""
        try:
            yield
        except self._unavailable as fault:
            raise DatabaseUnavailable("the protocol database does not answer") from fault

    def close(self) -> None:
        """Close idle connections. Later transactions open new ones."""
        self._engine.dispose()

    @property
    def engine(self) -> Engine:
        """The engine, for migrations."""
        return self._engine


class _WriterLock:
    """Lets one writer of this process run at a time.

    SQLite makes waiting writers sleep longer and longer; threads that wait here are served
    in turn. Other processes still wait in SQLite.
    """

    def __init__(self) -> None:
        self._lock = Lock()

    def __enter__(self) -> None:
        if not self._lock.acquire(timeout=_WAIT_S):
            raise DatabaseUnavailable("the protocol database does not answer")

    def __exit__(self, *_raised: object) -> None:
        self._lock.release()


def open_engine(url: str) -> Engine:
    """Return an engine of the protocol database."""
    return engines.open_engine(url, most_connections=_CONNECTIONS, wait_s=_WAIT_S)

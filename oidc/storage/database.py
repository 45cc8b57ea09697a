"""Engines and transactions of the protocol database."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import InterfaceError, InvalidatePoolError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnectionInTime

from oidc.errors import DatabaseUnavailable
from oidc.storage.connection_checks import RECHECK_AFTER_S, is_pooled, responds, timeouts
from oidc.storage.read_pool import READS, ReadPool
from oidc.storage.sql.group_commit import SqliteTransactions
from oidc.storage.sql.postgres_async import PostgresTransactions
from oidc.storage.transactions import Stores, ThreadNeeded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from sqlalchemy.pool import ConnectionPoolEntry

    from oidc.storage.transactions import AsyncTransactions

T = TypeVar("T")

WRITES = "thenar_writes"
"""Execution option of connections that write."""

_CONNECTIONS: Final = 20
"""Pool size; as many again may be opened at peaks."""

_WAIT_S: Final = 10
"""How long a transaction waits for a connection or the writer lock."""

_UNAVAILABLE: Final = (OperationalError, InterfaceError, NoConnectionInTime)
"""SQLAlchemy's errors for a database that does not respond; the driver has its own."""

_SQLITE_PRAGMAS = (
    "PRAGMA busy_timeout = 10000",
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
)


class Database:
    """Opens transactions on the protocol database.

    All raise ``DatabaseUnavailable``. They block, except ``read`` within ``asynchronous.run``.
    """

    def __init__(self, engine: Engine) -> None:
        is_server = engine.dialect.name != "sqlite"
        self._engine = engine
        self._read_pool = ReadPool(engine, Stores)
        self._writing = engine.execution_options(**{WRITES: True})
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
    """Return an engine whose error messages hide parameters: digests and accounts.

    Writes on SQLite begin IMMEDIATE: two writers wait at the start instead of failing in the
    middle.
    """
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite":
        engine = create_engine(
            parsed,
            pool_size=_CONNECTIONS,
            max_overflow=_CONNECTIONS,
            pool_timeout=_WAIT_S,
            hide_parameters=True,
            connect_args=timeouts(parsed),
        )
        event.listen(engine, "connect", _prepare_server)
        event.listen(engine, "checkin", _mark_used)
        event.listen(engine, "checkout", _check)
        return engine
    engine = create_engine(
        parsed,
        pool_size=_CONNECTIONS,
        max_overflow=_CONNECTIONS,
        pool_timeout=_WAIT_S,
        hide_parameters=True,
    )
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_server(connection: Any, _record: object) -> None:  # noqa: ANN401
    if is_pooled(connection.pgconn):
        connection.prepare_threshold = None  # statements that the server knows by name


def _mark_used(_connection: object, record: ConnectionPoolEntry) -> None:
    record.info["used_at"] = monotonic()


def _check(_adapted: object, record: ConnectionPoolEntry, _proxy: object) -> None:
    """Check a connection, unless it is new or was used just now.

    The pool replaces a dead connection and those as old.
    """
    used_at = record.info.get("used_at")
    if used_at is None or monotonic() - used_at < RECHECK_AFTER_S:
        return
    if not responds(cast("Any", record.driver_connection)):
        raise InvalidatePoolError("the connection is dead")


def _prepare_sqlite(connection: Any, _record: object) -> None:  # noqa: ANN401
    # The driver begins too late and never IMMEDIATE.
    connection.isolation_level = None
    for pragma in _SQLITE_PRAGMAS:
        connection.execute(pragma)


def _begin_sqlite(connection: Connection) -> None:
    options = connection.get_execution_options()
    if not options.get(READS, False):
        connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get(WRITES) else "BEGIN")

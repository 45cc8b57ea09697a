"""Transactions of a database, SQLite or PostgreSQL.

On SQLite the connections are kept between transactions: a pool and a new ``Connection`` cost
more than a statement. A file has no pool: no thread waits for a connection. A server's
connections go back to its pool, which checks them.
"""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from threading import Semaphore, get_ident
from time import monotonic
from typing import ClassVar, Final, Generic, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import InterfaceError, InternalError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnectionInTime
from sqlalchemy.pool import QueuePool

from oidc.errors import DatabaseUnavailable
from oidc.plumbing import database_engine as engines
from oidc.plumbing.patience import current_patience, patience

MOST_KEPT: Final = 8
"""Idle connections of one kind that stay open."""


class KeptConnections:
    """Gives connections of an engine, each to one thread at a time. Thread-safe."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._keeps = engine.dialect.name == "sqlite"
        self._idle: deque[Connection] = deque()

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """Give a connection; after a fault it is closed."""
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self._engine.connect()
        try:
            yield connection
            if connection.in_transaction():
                connection.rollback()
        except BaseException:
            connection.close()
            raise
        if self._keeps and len(self._idle) < MOST_KEPT:
            self._idle.append(connection)
        else:
            connection.close()

    def close(self) -> None:
        """Close unused ones."""
        while self._idle:
            self._idle.pop().close()


S = TypeVar("S")
"""The stores of one transaction, made from its connection."""

_FAULTS: Final = (OperationalError, InterfaceError, InternalError, NoConnectionInTime)
"""Errors for a database that does not respond; the driver has its own."""

_ENDED_BY_SERVER: Final = "25P03"
"""SQLSTATE of the one internal error that is ours: we did nothing in a transaction."""

_OF_ONE: Final = ("25P03", "40", "55P03")
"""Beginnings of SQLSTATEs, such as of deadlocks, that tell nothing of other connections."""

TURN_WAIT_S: Final = 2.0
"""How long a thread waits until one of the others has ended its work on a server."""

STUCK_SHARE: Final = 0.3
"""A turn that lasts longer than this share of the deadline is likely to wait in vain."""


class _Turns:
    """Turns of threads at a database: if it answers nothing, other threads stay free.

    A thread that has one takes no second one.
    """

    def __init__(self, count: int, wait_s: float) -> None:
        self._count, self._wait_s = count, wait_s
        self._free, self._is_full_until = Semaphore(count), 0.0
        self._late_at: dict[int, float] = {}

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Take a turn; after one thread waited in vain, the next ones do not for a moment."""
        me = get_ident()
        if me in self._late_at:
            yield
            return
        wait_s = self._wait_s if monotonic() >= self._is_full_until else 0
        if not self._free.acquire(timeout=wait_s):
            self._is_full_until = monotonic() + TURN_WAIT_S
            raise NoConnectionInTime
        self._late_at[me] = monotonic() + current_patience().answer_s * STUCK_SHARE
        try:
            yield
        finally:
            del self._late_at[me]
            self._free.release()

    def are_stuck(self) -> bool:
        """Return whether half of them last too long."""
        now = monotonic()
        return 2 * sum(each < now for each in list(self._late_at.values())) >= self._count


class Database(Generic[S]):
    """Opens transactions. They block, and raise ``DatabaseUnavailable``.

    A service has its own subclass, which says what its stores are.

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
        # SQLite makes waiting writers sleep longer and longer; here they are served in turn.
        # A server's threads leave connections to those that have one and need another.
        most = engines.most_connections(engine) if self.is_server else 2
        wait_s = TURN_WAIT_S if self.is_server else self.wait_s
        self._turns = _Turns(max(1, most * 2 // 3), wait_s)
        self._write_turns = _Turns(max(1, most // 2), wait_s)
        self._turn = self._turns.taken if self.is_server else nullcontext
        driver = engine.dialect.loaded_dbapi
        self._internal = (InternalError, driver.InternalError)
        unavailable = (driver.OperationalError, driver.InterfaceError)
        self._faults = (*_FAULTS, *unavailable, *self._internal)

    @contextmanager
    def read(self) -> Iterator[S]:
        """Open the stores for reading.

        Each statement sees what was committed when it began; reads that must agree with each
        other belong in a write transaction.
        """
        with (
            self.translate_unavailable(),
            self._turn(),
            self._readers.connection() as connection,
        ):
            yield self.new_stores(connection)

    @contextmanager
    def read_in_transaction(self) -> Iterator[S]:
        """Open the stores for reads that fetch many rows in batches, with work between them.

        On SQLite all of them see one state.
        """
        with self.translate_unavailable(), self.engine.connect() as connection:
            with patience(replace(current_patience(), idle_s=0)):  # nothing waits for a read
                begun = connection.begin()
            with begun:
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
            self._write_turns.taken(),
            self._turn(),
            self._writers.connection() as connection,
            connection.begin(),
        ):
            yield connection

    @contextmanager
    def stores(self, connection: Connection) -> Iterator[S]:
        """Yield the stores of a write transaction."""
        yield self.new_stores(connection)

    @contextmanager
    def translate_unavailable(self) -> Iterator[None]:
        """Raise ``DatabaseUnavailable`` for errors of a database that does not respond."""
        try:
            yield
        except self._faults as fault:
            state = getattr(getattr(fault, "orig", fault), "sqlstate", None) or ""
            if isinstance(fault, self._internal) and state != _ENDED_BY_SERVER:
                raise
            is_alone = isinstance(fault, NoConnectionInTime) or state.startswith(_OF_ONE)
            if self.is_server and not is_alone:
                self.close()  # what lies idle may be as dead
            raise self.unavailable() from fault

    def require_response(self) -> None:
        """Check that threads do not wait in vain. Raises ``DatabaseUnavailable``."""
        if self.is_server and (self._turns.are_stuck() or self._write_turns.are_stuck()):
            raise self.unavailable()

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

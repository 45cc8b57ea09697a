"""Transactions of a database, SQLite or PostgreSQL.

On SQLite the connections are kept between transactions: a pool and a new ``Connection`` cost
more than a statement. A file has no pool: no thread waits for a connection. A server's
connections go back to its pool, which checks them; a part of them is for event loops, which
wait for none that a thread has.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import replace
from threading import Semaphore, get_ident
from time import monotonic
from typing import ClassVar, Final, Generic, TypeVar
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import InterfaceError, InternalError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnectionInTime
from sqlalchemy.pool import QueuePool
from sqlalchemy.util.concurrency import await_, in_greenlet

from oidc.errors import DatabaseUnavailable
from oidc.plumbing import database_engine as engines
from oidc.plumbing.patience import current_patience, patience

LOGGER: Final = logging.getLogger("thenar.database")

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

_ENDED_BY_SERVER: Final = ("25P03", "25006")
"""SQLSTATEs of internal errors that are no fault of the program.

We did nothing in a transaction, or the server only reads, as after a failover.
"""

_OF_ONE: Final = ("25P03", "40", "55P03")
"""Beginnings of SQLSTATEs, such as of deadlocks, that tell nothing of other connections."""

TURN_WAIT_S: Final = 2.0
"""How long a thread waits until one of the others has ended its work on a server."""

LOOP_WAIT_S: Final = 5.0
"""How long a request in an event loop waits so."""

STUCK_SHARE: Final = 0.3
"""A turn that lasts longer than this share of the deadline is likely to wait in vain."""


class _Turns:
    """Turns of threads at a database: if it answers nothing, other threads stay free.

    A thread that has one takes no second one.
    """

    def __init__(self, count: int, wait_s: float) -> None:
        self._count, self._wait_s = max(1, count), wait_s
        self._free, self._is_full_until = Semaphore(self._count), 0.0
        self._late_at: dict[object, float] = {}

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Take a turn; after one thread waited in vain, the next ones do not for a moment."""
        me = self._me()
        if me in self._late_at:
            yield
            return
        wait_s = self._wait_s if monotonic() >= self._is_full_until else 0
        if not self._acquire(wait_s):
            self._is_full_until = monotonic() + TURN_WAIT_S
            raise NoConnectionInTime
        self._late_at[me] = monotonic() + current_patience().answer_s * STUCK_SHARE
        try:
            yield
        finally:
            del self._late_at[me]
            self._release()

    def _me(self) -> object:
        return get_ident()

    def _acquire(self, wait_s: float) -> bool:
        return self._free.acquire(timeout=wait_s)

    def _release(self) -> None:
        self._free.release()

    def are_stuck(self) -> bool:
        """Return whether half of them last too long."""
        now = monotonic()
        return 2 * sum(each < now for each in list(self._late_at.values())) >= self._count


class _LoopTurns(_Turns):
    """Turns of requests that wait in their event loop: the loop goes on meanwhile."""

    _of: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore]

    def __init__(self, count: int) -> None:
        super().__init__(count, LOOP_WAIT_S)
        self._of = WeakKeyDictionary()

    def _me(self) -> object:
        return asyncio.current_task()

    def _acquire(self, wait_s: float) -> bool:
        free = self._semaphore()
        if free.locked():
            return await_(_acquired(free, wait_s))
        with suppress(StopIteration):  # a free one is acquired at once: no switch is needed
            free.acquire().send(None)
        return True

    def _release(self) -> None:
        self._semaphore().release()

    def _semaphore(self) -> asyncio.Semaphore:
        loop = asyncio.get_running_loop()
        return self._of.get(loop) or self._of.setdefault(loop, asyncio.Semaphore(self._count))


async def _acquired(free: asyncio.Semaphore, wait_s: float) -> bool:
    try:
        async with asyncio.timeout(wait_s):
            return await free.acquire()
    except TimeoutError:
        return False


class Database(Generic[S]):
    """Opens transactions. They block, and raise ``DatabaseUnavailable``.

    A service has its own subclass, which says what its stores are.

    Attributes:
        name: in messages.
        wait_s: how long a transaction waits for a connection or the writer lock.
        loop_share: of a server's connections, for event loops.
        new_stores: makes the stores of a transaction.
        engine: for migrations.
        is_server: whether a transaction waits for another machine, not for a file.
    """

    name: ClassVar[str]
    wait_s: ClassVar[int]
    loop_share: ClassVar[float] = 0
    new_stores: Callable[[Connection], S]

    def __init__(self, engine: Engine) -> None:
        self.engine, self.is_server = engine, engine.dialect.name != "sqlite"
        self._readers = KeptConnections(engines.reading(engine))
        self._writers = KeptConnections(engines.writing(engine))
        # SQLite makes waiting writers sleep longer and longer; here they are served in turn.
        # A server's threads leave connections to those that have one and need another.
        most = engines.most_connections(engine) if self.is_server else 2
        loops = int(most * self.loop_share)
        wait_s = TURN_WAIT_S if self.is_server else self.wait_s
        self._turns = _Turns((most - loops) * 2 // 3, wait_s)
        self._write_turns = _Turns((most - loops) // 2, wait_s)
        self._loop_turns, self._loop_write_turns = _LoopTurns(loops), _LoopTurns(loops * 3 // 4)
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
            self._write_turn(),
            self._turn(),
            self._writers.connection() as connection,
            connection.begin(),
        ):
            yield connection

    def _turn(self) -> AbstractContextManager[None]:
        if not self.is_server:
            return nullcontext()
        return (self._loop_turns if in_greenlet() else self._turns).taken()

    def _write_turn(self) -> AbstractContextManager[None]:
        return (self._loop_write_turns if in_greenlet() else self._write_turns).taken()

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
            if isinstance(fault, self._internal) and state not in _ENDED_BY_SERVER:
                raise
            is_alone = isinstance(fault, NoConnectionInTime) or state.startswith(_OF_ONE)
            if self.is_server and not is_alone:
                self.close()  # what lies idle may be as dead
            # Below a warning: a command says it in its own words.
            LOGGER.info("a database cannot be used", exc_info=fault)
            raise self.unavailable() from fault

    def require_response(self) -> None:
        """Check that requests do not wait in vain. Raises ``DatabaseUnavailable``."""
        turns = self._turns, self._write_turns, self._loop_turns, self._loop_write_turns
        if self.is_server and any(each.are_stuck() for each in turns):
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

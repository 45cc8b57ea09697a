"""Engines of both services' databases, SQLite or PostgreSQL.

SQLite: WAL, synchronous=FULL, foreign keys on; a transaction that writes starts with BEGIN
IMMEDIATE, so that two writers wait at the start instead of failing half-way. What is deleted is
overwritten, in the log too once it is truncated.

PostgreSQL: an idle connection is checked before it is used, and every wait has an end:
``server_connection`` says how.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial
from math import inf
from time import monotonic
from typing import Any, Final, cast

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import InvalidatePoolError
from sqlalchemy.exc import TimeoutError as NoConnectionInTime
from sqlalchemy.pool import ConnectionPoolEntry, NullPool, QueuePool
from sqlalchemy.util.concurrency import await_, in_greenlet

from oidc.plumbing.server_connection import ServerConnection

KEPT_CONNECTIONS: Final = 20
"""Idle connections that stay open."""

READS: Final = "thenar_reads"
"""Execution option of connections that begin no transaction."""

WRITES: Final = "thenar_writes"
"""Execution option of connections that write."""


CONNECTION_WAIT_S: Final = 5
"""How long a thread waits for one of a server's connections to be free."""

TRUNCATE_TIMEOUT_MS: Final = 200
"""How long truncating SQLite's log waits for readers; writers wait meanwhile."""


def open_engine(url: str, *, most_connections: int, wait_s: int) -> Engine:
    """Return an engine whose errors never show statement parameters.

    Args:
        url: of the database.
        most_connections: of a server's; more wait for one to be free.
        wait_s: how long a SQLite writer waits for another one.
    """
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite":
        engine = create_engine(parsed, poolclass=NullPool, hide_parameters=True)
        _prepare_sqlite(engine, wait_s)
        return engine
    engine = create_engine(
        parsed,
        poolclass=_Pool,
        pool_size=min(KEPT_CONNECTIONS, most_connections),
        max_overflow=max(0, most_connections - KEPT_CONNECTIONS),
        pool_timeout=CONNECTION_WAIT_S,
        pool_use_lifo=True,
        hide_parameters=True,
    )
    _prepare_server(engine, parsed)
    return engine


def most_connections(engine: Engine) -> int:
    """Return how many connections to a server this process may open."""
    return cast("_Pool", engine.pool).most


def clock_lead(engine: Engine, clock: Callable[[], datetime]) -> timedelta:
    """Return how far a server's clock is ahead of ours; SQLite uses ours."""
    if engine.dialect.name == "sqlite":
        return timedelta(0)
    with engine.connect() as connection:
        before = clock()
        theirs: datetime = connection.execute(text("SELECT clock_timestamp()")).scalar_one()
        after = clock()
    # The query takes time: a reading between ours is no difference.
    return theirs - min(max(theirs, before), after)


@contextmanager
def disposing(engine: Engine) -> Iterator[Engine]:
    """Dispose of an engine at the end."""
    try:
        yield engine
    finally:
        engine.dispose()


def truncate_log(engine: Engine, wait_s: int) -> None:
    """Truncate SQLite's log, unless it is in use, so that no file holds deleted rows.

    PostgreSQL vacuums by itself. ``wait_s`` is the engine's own.
    """
    if engine.dialect.name != "sqlite":
        return
    with engine.connect() as connection:
        driver = connection.connection.driver_connection
        if driver is not None:
            driver.execute(f"PRAGMA busy_timeout={TRUNCATE_TIMEOUT_MS}")
            driver.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            driver.execute(f"PRAGMA busy_timeout={wait_s * 1000}")


def reading(engine: Engine) -> Engine:
    """Return the engine for reads that begin no transaction: beginning costs more than most."""
    return engine.execution_options(**{READS: True})


def writing(engine: Engine) -> Engine:
    """Return the engine for writing transactions: on SQLite they take the lock at BEGIN."""
    return engine.execution_options(**{WRITES: True})


def _prepare_sqlite(engine: Engine, wait_s: int) -> None:
    pragmas = [
        f"busy_timeout={wait_s * 1000}",
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
        "secure_delete=ON",
    ]

    def prepare(connection: Any, _record: object) -> None:  # noqa: ANN401
        connection.isolation_level = None  # the driver begins too late and never IMMEDIATE
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}")

    event.listen(engine, "connect", prepare)
    event.listen(engine, "begin", _begin_sqlite)


def _begin_sqlite(connection: Connection) -> None:
    options = connection.get_execution_options()
    if not options.get(READS):
        connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get(WRITES) else "BEGIN")


class _Pool(QueuePool):
    """A pool that closes what threads bring back after it was disposed of."""

    _is_over = False

    @property
    def most(self) -> int:
        """Most connections."""
        return self.size() + self._max_overflow

    def dispose(self) -> None:
        self._is_over = True
        super().dispose()

    def _do_get(self) -> ConnectionPoolEntry:
        if in_greenlet() and self.checkedout() >= self.most:
            raise NoConnectionInTime  # an event loop waits for no thread
        return super()._do_get()

    def _do_return_conn(self, record: ConnectionPoolEntry) -> None:
        super()._do_return_conn(record)
        if self._is_over:
            super().dispose()


def _prepare_server(engine: Engine, url: URL) -> None:
    from oidc.plumbing.server_connection import (  # noqa: PLC0415 - SQLite needs no driver
        RECHECK_AFTER_S,
        ServerConnection,
        timeouts,
    )

    lost = {"since": -inf}  # a first connection is not tried again: an address may be wrong

    def connect(_dialect: object, _record: object, _given: object, parameters: Any) -> Any:  # noqa: ANN401
        # Not in the loop, nor as a listener to "connect": those wait with a lock of the pool.
        prepared = partial(ServerConnection.awaited, lost, **timeouts(url), **parameters)
        return await_(asyncio.to_thread(prepared)) if in_greenlet() else prepared()

    def check(_connection: object, record: ConnectionPoolEntry, _proxy: object) -> None:
        """Check a connection that is not new; the pool replaces a dead one and all as old."""
        used_at = record.info.get("used_at")
        if used_at is None or monotonic() - used_at < RECHECK_AFTER_S:
            return
        if not cast("ServerConnection", record.driver_connection).responds():
            raise InvalidatePoolError("the connection is dead")

    event.listen(engine, "do_connect", connect)
    event.listen(engine, "begin", _begin_on_server)
    event.listen(engine, "checkin", _note_use)
    event.listen(engine, "checkout", check)


def _begin_on_server(connection: Connection) -> None:
    if not connection.get_execution_options().get(READS):
        cast("ServerConnection", connection.connection.driver_connection).begin()


def _note_use(_connection: object, record: ConnectionPoolEntry) -> None:
    record.info["used_at"] = monotonic()

"""Connections that only read, idle at hand: to begin to read costs nothing.

A connection from the pool is prepared, begun, rolled back and reset for each transaction, which
takes longer than the one or two rows that most requests look at. These stay as they are. Each
statement sees what was committed when it began, on SQLite as on PostgreSQL (READ COMMITTED):
whatever has to agree with something else is read in a write transaction.
"""

from __future__ import annotations

from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, cast

from sqlalchemy import event
from sqlalchemy.exc import DBAPIError

from oidc.storage.sql.connection_checks import RECHECK_AFTER_S, responds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlalchemy import Connection, Engine

KEPT: Final = 10
"""Connections at hand; more are opened when more read at once, and go back to the pool."""

READS: Final = "thenar_reads"
"""Execution option of connections that begin no transaction."""

StoresT = TypeVar("StoresT")


class ReadPool(Generic[StoresT]):
    """Connections on which nothing has to be begun or ended. Safe in several threads.

    Args:
        engine: of the database.
        stores: makes the stores on a connection.
    """

    def __init__(self, engine: Engine, stores: Callable[[Connection], StoresT]) -> None:
        self._is_server = engine.dialect.name != "sqlite"
        options = {"isolation_level": "AUTOCOMMIT"} if self._is_server else {READS: True}
        self._engine = engine.execution_options(**options)
        self._stores = stores
        self._faults = (DBAPIError, engine.dialect.loaded_dbapi.Error)
        # Only appended to and popped from, which is atomic.
        self._idle: list[tuple[Connection, StoresT, float]] = []
        # Whoever closes the pool's connections means these, too.
        event.listen(engine, "engine_disposed", lambda _engine: self._close())

    @contextmanager
    def reading(self) -> Iterator[StoresT]:
        """Lend the stores on a connection. One that the database failed on is not idle."""
        connection, stores = self._acquire()
        try:
            yield stores
        except self._faults:
            self._drop(connection)
            raise
        except BaseException:
            self._release(connection, stores)
            raise
        self._release(connection, stores)

    def _acquire(self) -> tuple[Connection, StoresT]:
        while (idle := self._pop()) is not None:
            connection, stores, used_at = idle
            if self._is_good(connection, used_at):
                return connection, stores
        connection = self._engine.connect()
        return connection, self._stores(connection)

    def _pop(self) -> tuple[Connection, StoresT, float] | None:
        try:
            return self._idle.pop()
        except IndexError:
            return None

    def _close(self) -> None:
        while (idle := self._pop()) is not None:
            self._drop(idle[0])

    def _release(self, connection: Connection, stores: StoresT) -> None:
        if connection.in_transaction():
            connection.rollback()
        if len(self._idle) < KEPT:
            self._idle.append((connection, stores, monotonic()))
        else:
            connection.close()

    def _is_good(self, connection: Connection, used_at: float) -> bool:
        """Ask a server's connection whether it lives, unless it was in use just now."""
        if not self._is_server or monotonic() - used_at < RECHECK_AFTER_S:
            return True
        if responds(cast("Any", connection.connection.driver_connection)):
            return True
        self._drop(connection)
        return False

    def _drop(self, connection: Connection) -> None:
        connection.invalidate()
        connection.close()

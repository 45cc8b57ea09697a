"""A pool of read-only connections that begin no transaction.

The engine's pool spends longer on begin, rollback and reset than most reads take. Each
statement sees what was committed when it began (READ COMMITTED); reads that must agree
with each other belong in a write transaction.
"""

from __future__ import annotations

from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, cast

from sqlalchemy import event
from sqlalchemy.exc import DBAPIError

from oidc.storage.connection_checks import RECHECK_AFTER_S, responds
from oidc.storage.engine import READS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlalchemy import Connection, Engine

KEPT: Final = 10
"""Idle connections; more are opened at peaks and closed afterwards."""

StoresT = TypeVar("StoresT")


class ReadPool(Generic[StoresT]):
    """Pools read-only connections. Thread-safe.

    Args:
        engine: of the database.
        stores: builds the stores on a connection.
    """

    def __init__(self, engine: Engine, stores: Callable[[Connection], StoresT]) -> None:
        self._is_server = engine.dialect.name != "sqlite"
        options = {"isolation_level": "AUTOCOMMIT"} if self._is_server else {READS: True}
        self._engine = engine.execution_options(**options)
        self._stores = stores
        self._faults = (DBAPIError, engine.dialect.loaded_dbapi.Error)
        # Only append and pop, which are atomic.
        self._idle: list[tuple[Connection, StoresT, float]] = []
        # Disposing the engine closes these, too.
        event.listen(engine, "engine_disposed", lambda _engine: self._close())

    @contextmanager
    def reading(self) -> Iterator[StoresT]:
        """Yield the stores on a connection, which is dropped after a database error."""
        connection, stores = self._acquire()
        try:
            yield stores
        except self._faults:
            self._drop(connection)
            self._close()  # the others may be as dead
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
        """Check a server's connection, unless it was used just now."""
        if not self._is_server or monotonic() - used_at < RECHECK_AFTER_S:
            return True
        if responds(cast("Any", connection.connection.driver_connection)):
            return True
        self._drop(connection)
        return False

    def _drop(self, connection: Connection) -> None:
        connection.invalidate()
        connection.close()

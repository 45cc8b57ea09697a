"""Group commit on SQLite: writes of several threads share one transaction.

A commit takes milliseconds, the statements of a token request microseconds. Writes that
arrive during a commit go into the next transaction, each in its own savepoint. Nobody is
answered before the commit. PostgreSQL does the same by itself.
"""

from __future__ import annotations

from collections import deque
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection

    from oidc.storage.database import Database
    from oidc.storage.transactions import Stores

T = TypeVar("T")


@dataclass(slots=True)
class _Write:
    """A unit of work that waits for a transaction.

    Attributes:
        context: of the caller, so that traces show statements with their request.
        is_over: committed or failed; set before the turn ends.
    """

    work: Callable[[Stores], Any]
    context: Context = field(default_factory=copy_context)
    is_over: bool = False
    result: Any = None
    fault: BaseException | None = None


class GroupCommit:
    """Writes of many threads. They block."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: deque[_Write] = deque()
        self._turn = Lock()

    def write(self, work: Callable[[Stores], T]) -> T:
        """Run ``work`` in a transaction; return after its commit.

        Its exceptions undo it and nothing else. Raises ``DatabaseUnavailable``.
        """
        if self._database.is_server:
            with self._database.write() as stores:
                return work(stores)
        write = _Write(work)
        self._waiting.append(write)
        with self._turn:
            if not write.is_over:
                self._write_group()
        if write.fault is not None:
            raise write.fault
        result: T = write.result
        return result

    def _write_group(self) -> None:
        """Write all that wait in one transaction; a fault of it is everybody's."""
        taken: list[_Write] = []
        try:
            with self._database.transaction() as connection:
                self._take(taken)
                for write in taken:
                    self._run(write, connection)
        except BaseException as fault:
            self._take(taken)
            for write in taken:
                write.fault = fault
            if not isinstance(fault, Exception):
                raise
        finally:
            for write in taken:
                write.is_over = True

    def _take(self, taken: list[_Write]) -> None:
        while self._waiting:
            taken.append(self._waiting.popleft())

    def _run(self, write: _Write, connection: Connection) -> None:
        """Run one unit, and undo it if it fails.

        Raises the database's error if the whole transaction failed; nothing was done.
        """
        driver = connection.connection.driver_connection
        assert driver is not None  # noqa: S101 - open
        driver.execute("SAVEPOINT work")
        write.context.run(self._try, write, connection)
        if write.fault is not None:
            driver.execute("ROLLBACK TO work")
        driver.execute("RELEASE work")

    def _try(self, write: _Write, connection: Connection) -> None:
        try:
            with (
                self._database.translate_unavailable(),
                self._database.stores(connection) as stores,
            ):
                write.result = write.work(stores)
        except Exception as fault:  # passed to the caller
            write.fault = fault

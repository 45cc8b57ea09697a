"""Group commit on SQLite: concurrent writes of an event loop share one transaction.

A commit takes milliseconds, the statements of a token request microseconds. Writes that
arrive during a commit go into the next transaction, each in its own savepoint. Callers are
answered after the commit. Begin and commit block and run in a thread; the statements
between them run in the event loop.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, TypeVar
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import Connection

    from oidc.storage.database import Database
    from oidc.storage.transactions import Stores

T = TypeVar("T")

MOST: Final = 64
"""Units in one transaction: the event loop waits for all of them."""


@dataclass(slots=True)
class _Request:
    """A unit of work that waits for a transaction.

    Attributes:
        done: the caller awaits it.
        context: of the caller, so that traces show statements with their request.
    """

    work: Callable[[Stores], Any]
    done: asyncio.Future[Any]
    result: Any = None
    fault: Exception | None = None
    context: Context = field(default_factory=copy_context)

    def finish(self) -> None:
        """Pass the outcome to the caller, unless it was cancelled."""
        if self.done.done():
            return
        if self.fault is None:
            self.done.set_result(self.result)
        else:
            self.done.set_exception(self.fault)


class GroupCommit:
    """Writes of event loops to a SQLite database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        # A server has one loop; tests have many.
        self._queues: WeakKeyDictionary[asyncio.AbstractEventLoop, _Queue] = WeakKeyDictionary()

    async def write(self, work: Callable[[Stores], T]) -> T:
        """Run ``work`` in a transaction; return after its commit.

        Its exceptions undo it and nothing else. Raises ``DatabaseUnavailable``.
        """
        loop = asyncio.get_running_loop()
        queue = self._queues.get(loop)
        if queue is None:
            queue = self._queues[loop] = _Queue(self._database)
        request = _Request(work, loop.create_future())
        queue.add(request)
        result: T = await request.done
        return result


class _Queue:
    """The pending writes of one event loop."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._thread = ThreadPoolExecutor(1, "thenar-writer")
        self._waiting: list[_Request] = []
        self._task: asyncio.Task[None] | None = None

    def add(self, request: _Request) -> None:
        """Queue a request for the next transaction."""
        self._waiting.append(request)
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._serve())

    async def _serve(self) -> None:
        while self._waiting:
            await self._serve_group(_Group(self._database))

    async def _serve_group(self, group: _Group) -> None:
        """Write one group and finish its requests."""
        wait = asyncio.get_running_loop().run_in_executor
        taken: list[_Request] = []
        try:
            await wait(self._thread, group.begin)
            taken, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
            # Cancelled callers were told to retry: their work is not begun.
            group.run([request for request in taken if not request.done.done()])
            await wait(self._thread, group.commit)
        except Exception as fault:  # every caller must be answered
            group.abandon()
            if not taken:
                taken, self._waiting = self._waiting, []
            for request in taken:
                request.fault = fault
        except BaseException:
            # The loop ends: roll back.
            group.abandon()
            raise
        for request in taken:
            request.finish()


class _Group:
    """One transaction with several units of work."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = Lock()
        self._stack = ExitStack()
        self._connection: Connection | None = None
        self._is_over = False

    def begin(self) -> None:
        """Begin the transaction. In a thread."""
        with self._lock:
            if not self._is_over:
                self._connection = self._stack.enter_context(self._database.transaction())

    def run(self, works: Sequence[_Request]) -> None:
        """Run each unit, and undo it if it fails.

        Raises ``DatabaseUnavailable`` if the whole transaction failed; nothing was done.
        """
        assert self._connection is not None  # noqa: S101 - begun
        driver = self._connection.connection.driver_connection
        assert driver is not None  # noqa: S101 - open
        with self._database.translate_unavailable():
            for request in works:
                driver.execute("SAVEPOINT work")
                if not request.context.run(self._is_done, request, self._connection):
                    driver.execute("ROLLBACK TO work")
                driver.execute("RELEASE work")

    def _is_done(self, request: _Request, connection: Connection) -> bool:
        try:
            with (
                self._database.translate_unavailable(),
                self._database.stores(connection) as stores,
            ):
                request.result = request.work(stores)
        except Exception as fault:  # passed to the caller
            request.fault = fault
            return False
        return True

    def commit(self) -> None:
        """Commit. In a thread."""
        with self._lock:
            self._stack.close()

    def abandon(self) -> None:
        """Roll back unless committed; waits for the thread."""
        with self._lock, suppress(Exception):
            self._is_over = True
            fault = _AbandonedError()
            self._stack.__exit__(type(fault), fault, None)


class _AbandonedError(Exception):
    """Rolls a transaction back."""

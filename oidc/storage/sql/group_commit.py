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
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar
from weakref import WeakKeyDictionary

from oidc.storage.sql.write_request import WriteRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence
    from contextlib import AbstractContextManager

    from sqlalchemy import Connection

    from oidc.storage.transactions import Stores

T = TypeVar("T")

MOST: Final = 64
"""Units in one transaction: the event loop waits for all of them."""


class TransactionOpener(Protocol):
    """Opens transactions for a group."""

    def transaction(self) -> AbstractContextManager[Connection]:
        """Open a write transaction that commits at the end. Waits for the writer lock."""

    def stores(self, connection: Connection) -> AbstractContextManager[Stores]:
        """Open the stores for one unit; append its audit entries at the end."""

    def translate_unavailable(self) -> AbstractContextManager[None]:
        """Raise ``DatabaseUnavailable`` for errors of a database that does not respond."""


class SqliteTransactions:
    """Reads and writes for event loops on SQLite. Implements ``AsyncTransactions``."""

    def __init__(self, opener: TransactionOpener) -> None:
        self._opener = opener
        # A server has one loop; tests have many.
        self._queues: WeakKeyDictionary[asyncio.AbstractEventLoop, _Queue] = WeakKeyDictionary()

    async def write(self, work: Callable[[Stores], T]) -> T:
        """Run ``work`` in a transaction; return after its commit."""
        loop = asyncio.get_running_loop()
        queue = self._queues.get(loop)
        if queue is None:
            queue = self._queues[loop] = _Queue(self._opener)
        request = WriteRequest(work, loop.create_future())
        queue.add(request)
        result: T = await request.done
        return result

    async def run(self, steps: Coroutine[Any, Any, T]) -> T:
        """Await ``steps``: reading a file does not block for long."""
        return await steps


class _Queue:
    """The pending writes of one event loop."""

    def __init__(self, opener: TransactionOpener) -> None:
        self._opener = opener
        self._thread = ThreadPoolExecutor(1, "thenar-writer")
        self._waiting: list[WriteRequest] = []
        self._task: asyncio.Task[None] | None = None

    def add(self, request: WriteRequest) -> None:
        """Queue a request for the next transaction."""
        self._waiting.append(request)
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._serve())

    async def _serve(self) -> None:
        while self._waiting:
            await self._serve_group(_Group(self._opener))

    async def _serve_group(self, group: _Group) -> None:
        """Write one group and finish its requests."""
        wait = asyncio.get_running_loop().run_in_executor
        taken: list[WriteRequest] = []
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

    def __init__(self, opener: TransactionOpener) -> None:
        self._opener = opener
        self._lock = Lock()
        self._stack = ExitStack()
        self._connection: Connection | None = None
        self._is_over = False

    def begin(self) -> None:
        """Begin the transaction. In a thread."""
        with self._lock:
            if not self._is_over:
                self._connection = self._stack.enter_context(self._opener.transaction())

    def run(self, works: Sequence[WriteRequest]) -> None:
        """Run each unit, and undo it if it fails.

        Raises ``DatabaseUnavailable`` if the whole transaction failed; nothing was done.
        """
        assert self._connection is not None  # noqa: S101 - begun
        driver = self._connection.connection.driver_connection
        assert driver is not None  # noqa: S101 - open
        with self._opener.translate_unavailable():
            for request in works:
                driver.execute("SAVEPOINT work")
                if not request.context.run(self._is_done, request, self._connection):
                    driver.execute("ROLLBACK TO work")
                driver.execute("RELEASE work")

    def _is_done(self, request: WriteRequest, connection: Connection) -> bool:
        try:
            with (
                self._opener.translate_unavailable(),
                self._opener.stores(connection) as stores,
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

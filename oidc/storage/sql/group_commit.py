"""Writes of one event loop, several in one transaction, which wait for the disk together.

A commit that is on disk takes milliseconds, the statements of a token request microseconds.
Whatever asks to write while a commit is on its way is written into the next transaction, each
in a savepoint of its own, so that what fails undoes itself and nothing else. Nobody is answered
before the commit that holds its work has returned.

Begin and commit wait, for the writer's turn and for the disk, and do so in a thread; what is
written in between is a few statements on rows that are at hand, and runs in the event loop.
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
"""Works in one transaction: the event loop waits for the statements of all."""


class TransactionOpener(Protocol):
    """What a group needs of the database."""

    def transaction(self) -> AbstractContextManager[Connection]:
        """Open a transaction that writes; commit it at the end. Waits for its turn."""

    def stores(self, connection: Connection) -> AbstractContextManager[Stores]:
        """Lend the stores for one work; at its end, do what every transaction does last."""

    def translate_unavailable(self) -> AbstractContextManager[None]:
        """Raise ``DatabaseUnavailable`` for what a driver says that gets no answer."""


class SqliteTransactions:
    """Reads and writes for event loops, of a database that is a file. Implements ``AsyncTransactions``.

    Args:
        opener: the database.
    """

    def __init__(self, opener: TransactionOpener) -> None:
        self._opener = opener
        # A process that serves has one loop; tests have many.
        self._queues: WeakKeyDictionary[asyncio.AbstractEventLoop, _Queue] = WeakKeyDictionary()

    async def write(self, work: Callable[[Stores], T]) -> T:
        """Do some work in a transaction; return when what it wrote is on disk.

        Raises what the work raises, which undoes it; ``DatabaseUnavailable`` if the database does not
        answer.
        """
        loop = asyncio.get_running_loop()
        queue = self._queues.get(loop)
        if queue is None:
            queue = self._queues[loop] = _Queue(self._opener)
        request = WriteRequest(work, loop.create_future())
        queue.add(request)
        result: T = await request.done
        return result

    async def run(self, steps: Coroutine[Any, Any, T]) -> T:
        """Await steps in which plain functions read: a row of a file is there at once."""
        return await steps


class _Queue:
    """The works of one event loop, in turn."""

    def __init__(self, opener: TransactionOpener) -> None:
        self._opener = opener
        self._thread = ThreadPoolExecutor(1, "thenar-writer")
        self._waiting: list[WriteRequest] = []
        self._task: asyncio.Task[None] | None = None

    def add(self, request: WriteRequest) -> None:
        """Let some work wait for the next transaction."""
        self._waiting.append(request)
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._serve())

    async def _serve(self) -> None:
        while self._waiting:
            await self._serve_group(_Group(self._opener))

    async def _serve_group(self, group: _Group) -> None:
        """Write what waits when the transaction begins, and tell everybody how it went."""
        wait = asyncio.get_running_loop().run_in_executor
        taken: list[WriteRequest] = []
        try:
            await wait(self._thread, group.begin)
            taken, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
            # Whoever gave up is told to come again: what nobody waits for is not begun.
            group.run([request for request in taken if not request.done.done()])
            await wait(self._thread, group.commit)
        except Exception as fault:  # whatever it is, they have to be told
            group.abandon()
            if not taken:
                taken, self._waiting = self._waiting, []
            for request in taken:
                request.fault = fault
        except BaseException:
            # The loop ends: nobody waits any more, and nothing may stay half done.
            group.abandon()
            raise
        for request in taken:
            request.finish()


class _Group:
    """One transaction with several works in it."""

    def __init__(self, opener: TransactionOpener) -> None:
        self._opener = opener
        self._lock = Lock()
        self._stack = ExitStack()
        self._connection: Connection | None = None
        self._is_over = False

    def begin(self) -> None:
        """Wait for the turn to write. In a thread."""
        with self._lock:
            if not self._is_over:
                self._connection = self._stack.enter_context(self._opener.transaction())

    def run(self, works: Sequence[WriteRequest]) -> None:
        """Do each work, or undo it if it fails.

        Raises ``DatabaseUnavailable`` when the transaction was given up as a whole: nothing was done.
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
        except Exception as fault:  # it is told to whoever request
            request.fault = fault
            return False
        return True

    def commit(self) -> None:
        """Wait until everything is on disk. In a thread."""
        with self._lock:
            self._stack.close()

    def abandon(self) -> None:
        """Undo everything, unless it is on disk; wait for a thread that is in the middle."""
        with self._lock, suppress(Exception):
            self._is_over = True
            fault = _AbandonedError()
            self._stack.__exit__(type(fault), fault, None)


class _AbandonedError(Exception):
    """Rolls a transaction back."""

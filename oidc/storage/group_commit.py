"""Group commit on SQLite: writes of several requests share one transaction.

A commit takes milliseconds, the statements of a token request microseconds. Writes that
arrive during a commit go into the next transaction, all in one thread: event loops wait for
nothing. No caller is answered before the commit. PostgreSQL does the same by itself.
"""

from __future__ import annotations

from asyncio import Future, get_running_loop
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, TypeVar

from oidc.storage.database import Database
from oidc.storage.transactions import Stores

T = TypeVar("T")


@dataclass(slots=True)
class _Write:
    """A unit of work that waits for a transaction.

    Attributes:
        answer: the future that its caller awaits.
        context: of the caller, so that traces show statements with their request.
    """

    work: Callable[[Stores], Any]
    answer: Future[Any]
    context: Context = field(default_factory=copy_context)
    result: Any = None
    fault: BaseException | None = None

    def run(self, opened: AbstractContextManager[Stores]) -> None:
        """Do the work, or note its fault."""
        self.fault = None
        try:
            with opened as stores:
                self.result = self.work(stores)
        except BaseException as fault:
            self.fault = fault

    def tell(self) -> None:
        """Return the result, in the caller's event loop, unless the caller has gone."""
        if self.answer.done():
            return
        if self.fault is None:
            self.answer.set_result(self.result)
        else:
            self.answer.set_exception(self.fault)


class _WorkFailed(Exception):
    """A unit failed, which undoes the group."""


class GroupCommit:
    """Writes of event loops, a group at a time."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock, self._is_writing = Lock(), False
        self._waiting: list[_Write] = []
        self._thread = ThreadPoolExecutor(1, "thenar-commit")

    async def write(self, work: Callable[[Stores], T]) -> T:
        """Run ``work`` in a transaction, in a thread; return after its commit.

        Its exceptions undo it and nothing else: all that shared the transaction then run once
        more, each alone. Raises ``DatabaseUnavailable``.
        """
        loop = get_running_loop()
        write = _Write(work, loop.create_future())
        with self._lock:
            self._waiting.append(write)
            is_writing, self._is_writing = self._is_writing, True
        if not is_writing:  # after the requests that are ready now
            loop.call_soon(self._thread.submit, self._write_group)
        result: T = await write.answer
        return result

    def _write_group(self) -> None:
        """Write all that wait, and tell them; then begin the next group."""
        for write in self._written():
            with suppress(RuntimeError):  # its event loop has ended
                write.answer.get_loop().call_soon_threadsafe(write.tell)
        with self._lock:
            self._is_writing = goes_on = bool(self._waiting)
        if goes_on:
            self._thread.submit(self._write_group)

    def _written(self) -> list[_Write]:
        """Write all that wait in one transaction, whose fault is everybody's; or each alone."""
        group: list[_Write] = []
        try:
            with self._database.transaction() as connection:
                group = self._taken()
                for write in group:
                    write.context.run(write.run, self._database.stores(connection))
                    if write.fault is not None:
                        raise _WorkFailed
        except _WorkFailed:
            for write in group:
                write.context.run(write.run, self._database.write())
        except BaseException as fault:
            group = group or self._taken()  # without a group it could not begin
            for write in group:
                write.fault = fault
        return group

    def _taken(self) -> list[_Write]:
        with self._lock:
            group, self._waiting = self._waiting, []
        return group

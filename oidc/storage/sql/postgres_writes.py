"""Writes of an event loop to PostgreSQL, committed in groups."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from oidc.errors import DatabaseUnavailable
from oidc.storage.sql.pipelined_connection import ConnectionLost, StatementRefused
from oidc.storage.sql.postgres_group_commit import CommitUnknown, PostgresGroup
from oidc.storage.sql.write_request import WriteRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from sqlalchemy import Connection, Engine

    from oidc.storage.sql.pipelined_connections import PipelinedConnections
    from oidc.storage.transactions import Stores

T = TypeVar("T")

MOST: Final = 64
"""Units in one transaction: all finish before any is answered."""

_ALONE: Final = 4
"""Threads for units that cannot run in a group."""


class Works(Protocol):
    """Runs units of work on the database."""

    def stores(self, connection: Connection) -> AbstractContextManager[Stores]:
        """Open the stores for one unit; append its audit entries at the end."""

    def do(self, work: Callable[[Stores], T]) -> T:
        """Run one unit in a transaction of its own. Blocking."""


class PostgresWrites:
    """Writes of one event loop, one group after the other.

    Args:
        engine: of the database.
        connections: to send groups on.
        works: runs single units of work.
    """

    def __init__(self, engine: Engine, connections: PipelinedConnections, works: Works) -> None:
        self._engine, self._connections, self._works = engine, connections, works
        self._threads = ThreadPoolExecutor(_ALONE, "thenar-writer")
        self._waiting: list[WriteRequest] = []
        self._task: asyncio.Task[None] | None = None

    async def write(self, work: Callable[[Stores], T]) -> T:
        """Run ``work`` in the next transaction; return after its commit."""
        loop = asyncio.get_running_loop()
        request = WriteRequest(work, loop.create_future())
        self._waiting.append(request)
        if self._task is None:
            self._task = loop.create_task(self._serve())
        result: T = await request.done
        return result

    async def _serve(self) -> None:
        try:
            while self._waiting:
                taken, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
                # Cancelled callers were told to retry: their work is not begun.
                await self._write([request for request in taken if not request.done.done()])
        finally:
            self._task = None

    async def _write(self, works: Sequence[WriteRequest]) -> None:
        """Write a group and finish its requests."""
        group = PostgresGroup(self._engine, self._works.stores, works)
        try:
            left = await self._connections.use(group.write)
        except Exception as fault:  # every caller must be answered
            _refuse(works, fault)
            return
        for request in works:
            if request in left:
                self._begin_alone(request)
            else:
                request.finish()

    def _begin_alone(self, request: WriteRequest) -> None:
        """Run a unit in a thread, in a transaction of its own, without waiting for it."""
        loop = asyncio.get_running_loop()
        do = self._works.do
        running = loop.run_in_executor(self._threads, request.context.run, do, request.work)

        def tell(ended: asyncio.Future[Any]) -> None:
            fault = ended.exception()
            if request.done.done():
                return
            if fault is None:
                request.done.set_result(ended.result())
            else:
                request.done.set_exception(fault)

        running.add_done_callback(tell)


def _refuse(works: Sequence[WriteRequest], fault: Exception) -> None:
    for request in works:
        request.fault = fault
        if isinstance(fault, ConnectionLost | CommitUnknown | StatementRefused):
            request.fault = DatabaseUnavailable("the protocol database does not answer")
            request.fault.__cause__ = fault
        request.finish()

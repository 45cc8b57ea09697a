"""What an event loop writes on a server: what is request meanwhile shares the next commit."""

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
"""Works in one transaction: none of them is answered before all are done."""

_ALONE: Final = 4
"""Threads for works that cannot be done in a group."""


class Works(Protocol):
    """What works need of the database."""

    def stores(self, connection: Connection) -> AbstractContextManager[Stores]:
        """Lend the stores for one work; at its end, do what every transaction does last."""

    def do(self, work: Callable[[Stores], T]) -> T:
        """Do one work as a transaction of its own. Blocking."""


class PostgresWrites:
    """Works of one event loop, a group after the other.

    Args:
        engine: of the database.
        lines: where groups are sent.
        works: lends the stores for one work, and does one by itself.
    """

    def __init__(self, engine: Engine, connections: PipelinedConnections, works: Works) -> None:
        self._engine, self._connections, self._works = engine, connections, works
        self._threads = ThreadPoolExecutor(_ALONE, "thenar-writer")
        self._waiting: list[WriteRequest] = []
        self._task: asyncio.Task[None] | None = None

    async def write(self, work: Callable[[Stores], T]) -> T:
        """Do some work in the next transaction; return when what it wrote is on disk."""
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
                # Whoever gave up is told to come again: what nobody waits for is not begun.
                await self._write([request for request in taken if not request.done.done()])
        finally:
            self._task = None

    async def _write(self, works: Sequence[WriteRequest]) -> None:
        """Write a group, and tell everybody how it went."""
        group = PostgresGroup(self._engine, self._works.stores, works)
        try:
            left = await self._connections.use(group.write)
        except Exception as fault:  # whatever it is, they have to be told
            _refuse(works, fault)
            return
        for request in works:
            if request in left:
                self._begin_alone(request)
            else:
                request.finish()

    def _begin_alone(self, request: WriteRequest) -> None:
        """Do a work in a thread, as a transaction of its own; wait for nothing."""
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

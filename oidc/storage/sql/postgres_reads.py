"""Reads of an event loop from PostgreSQL, sent in batches."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Final

from oidc.errors import DatabaseUnavailable
from oidc.storage.sql.pipelined_connection import ConnectionLost, StatementRefused
from oidc.storage.transactions import ThreadNeeded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oidc.storage.sql.pipelined_connection import PipelinedConnection, Reply, Statement
    from oidc.storage.sql.pipelined_connections import PipelinedConnections

    Waiting = list[tuple[Statement, asyncio.Future[Reply]]]

FIRST_S: Final = 2.0
"""Timeout on a connection that may be dead: reads are repeated on a new one."""


class PostgresReads:
    """Read-only statements of one event loop.

    Each sees what was committed when it began. Equal statements are sent once.

    Args:
        connections: to send on.
    """

    def __init__(self, connections: PipelinedConnections) -> None:
        self._connections = connections
        self._waiting: Waiting = []
        self._task: asyncio.Task[None] | None = None

    def ask(self, statement: Statement) -> asyncio.Future[Reply]:
        """Return the future reply.

        Fails with ``DatabaseUnavailable``, or with ``ThreadNeeded`` if the server refused: run
        in a thread, the statement shows its own error.
        """
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[Reply] = loop.create_future()
        self._waiting.append((statement, answered))
        if self._task is None:
            self._task = loop.create_task(self._serve())
        return answered

    async def _serve(self) -> None:
        try:
            while self._waiting:
                taken, self._waiting = self._waiting, []
                await self._answer(taken)
        finally:
            self._task = None

    async def _answer(self, taken: Waiting) -> None:
        different = list(dict.fromkeys(statement for statement, _ in taken))
        try:
            replies = await self._connections.use(partial(_run, different), FIRST_S)
        except Exception as fault:  # every caller must be answered
            _refuse(taken, fault)
            return
        known = dict(zip(different, replies, strict=True))
        for statement, answered in taken:
            if not answered.done():
                answered.set_result(known[statement])


async def _run(statements: Sequence[Statement], connection: PipelinedConnection) -> list[Reply]:
    return await connection.run(statements)


def _refuse(taken: Waiting, fault: Exception) -> None:
    for _, answered in taken:
        if not answered.done():
            answered.set_exception(_told(fault))


def _told(fault: Exception) -> Exception:
    match fault:
        case ConnectionLost():
            return DatabaseUnavailable("the protocol database does not answer")
        case StatementRefused():
            return ThreadNeeded()
        case _:
            return fault

"""Opens an event loop's pipelined connection when needed, and again after a loss."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from oidc.storage.connection_checks import CHECK_TIMEOUT_S, RECHECK_AFTER_S
from oidc.storage.sql.pipelined_connection import ConnectionLost, open_pipelined

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from typing import TypeVar

    from oidc.storage.sql.pipelined_connection import PipelinedConnection

    T = TypeVar("T")


class PipelinedConnections:
    """Holds one connection at a time.

    Args:
        parameters: of the connection.
    """

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        self._parameters = parameters
        self._connection: PipelinedConnection | None = None

    async def use(
        self, act: Callable[[PipelinedConnection], Awaitable[T]], first_s: float | None = None
    ) -> T:
        """Run ``act``; repeat it on a new connection if an old one is lost.

        Only for actions that may run twice.

        Args:
            act: uses the connection.
            first_s: timeout for all of it on an old connection; None: that of each reply.

        Raises:
            ConnectionLost: a new connection was lost or not opened.
        """
        connection, is_new = await self._opened()
        try:
            async with asyncio.timeout(None if is_new else first_s):
                return await act(connection)
        except (ConnectionLost, TimeoutError):
            if is_new:
                raise
        return await act((await self._opened())[0])

    async def _opened(self) -> tuple[PipelinedConnection, bool]:
        if self._connection is not None and await _is_good(self._connection):
            return self._connection, False
        self._connection = await open_pipelined(self._parameters)
        return self._connection, True

    def close(self) -> None:
        """Close the connection. In its event loop."""
        if self._connection is not None:
            self._connection.close()

    def drop(self) -> None:
        """Close the connection of an event loop that has ended."""
        if self._connection is not None and self._connection.is_open:
            self._connection.drop()


async def _is_good(connection: PipelinedConnection) -> bool:
    """Check a connection unless it replied just now; a dead one is closed."""
    if not connection.is_open or connection.silent_s < RECHECK_AFTER_S:
        return connection.is_open
    with suppress(ConnectionLost):
        await connection.run([], CHECK_TIMEOUT_S)
    return connection.is_open

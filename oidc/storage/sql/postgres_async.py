"""PostgreSQL for event loops: two connections for each loop."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from oidc.storage.connection_checks import parameters_of
from oidc.storage.sql.greenlet_bridge import GreenletBridge, bridge_context, wait
from oidc.storage.sql.pipelined_connections import PipelinedConnections
from oidc.storage.sql.postgres_reads import PostgresReads
from oidc.storage.sql.postgres_writes import PostgresWrites
from oidc.storage.sql.prepared_connection import PreparedConnection

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from sqlalchemy import Connection, Engine

    from oidc.storage.sql.pipelined_connection import Reply, Statement
    from oidc.storage.sql.postgres_writes import Works
    from oidc.storage.transactions import Stores

T = TypeVar("T")
StoresT = TypeVar("StoresT", bound="Stores")


class PostgresTransactions(Generic[StoresT]):
    """Reads and writes for event loops. Implements ``AsyncTransactions``.

    Args:
        engine: of the database.
        stores: builds the stores on a connection.
        works: runs single units of work.
    """

    def __init__(
        self, engine: Engine, stores: Callable[[Connection], StoresT], works: Works
    ) -> None:
        self._engine, self._stores, self._works = engine, stores, works
        # A server has one loop; tests have many.
        self._loops: dict[asyncio.AbstractEventLoop, _LoopConnections[StoresT]] = {}

    async def write(self, work: Callable[[Stores], T]) -> T:
        """Run ``work`` in a transaction; return after its commit."""
        return await self._of_loop().writing.write(work)

    async def run(self, steps: Coroutine[Any, Any, T]) -> T:
        """Await ``steps``, in which plain functions may read."""
        return await GreenletBridge(steps, BridgeContext(self, self._of_loop().stores))

    def reading(self) -> StoresT | None:
        """Return the stores of the running ``run``; None outside of one."""
        carried = bridge_context(BridgeContext)
        if carried is None or carried.owner is not self:
            return None
        stores: StoresT = carried.stores
        return stores

    def close(self) -> None:
        """Close all connections. Later calls open new ones."""
        for loop, own in list(self._loops.items()):
            if loop.is_running():
                # Kept: a call in progress opens a new connection.
                loop.call_soon_threadsafe(own.close)
            elif self._loops.pop(loop, None) is not None:
                own.drop()

    def _of_loop(self) -> _LoopConnections[StoresT]:
        loop = asyncio.get_running_loop()
        own = self._loops.get(loop)
        if own is None:
            self._drop_closed_loops()
            own = self._loops[loop] = _LoopConnections(self._engine, self._stores, self._works)
        return own

    def _drop_closed_loops(self) -> None:
        for loop in [each for each in list(self._loops) if each.is_closed()]:
            # Another thread may drop the same loop.
            own = self._loops.pop(loop, None)
            if own is not None:
                own.drop()


class _LoopConnections(Generic[StoresT]):
    """The connections of one event loop."""

    def __init__(
        self, engine: Engine, stores: Callable[[Connection], StoresT], works: Works
    ) -> None:
        parameters = parameters_of(engine.url)
        self._connections = (PipelinedConnections(parameters), PipelinedConnections(parameters))
        reading = PostgresReads(self._connections[0])
        self.writing = PostgresWrites(engine, self._connections[1], works)

        def ask(statement: Statement) -> Reply:
            return wait(reading.ask(statement))

        # Not a full connection: it refuses unprepared statements.
        self.stores = stores(cast("Connection", PreparedConnection(engine, ask)))

    def close(self) -> None:
        for each in self._connections:
            each.close()

    def drop(self) -> None:
        for each in self._connections:
            each.drop()


@dataclass(frozen=True, slots=True)
class BridgeContext:
    """Context of a greenlet bridge.

    Attributes:
        owner: the database.
        stores: to read from.
    """

    owner: object
    stores: Any

"""What event loops do with a database on a server, each on two connections of its own."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from oidc.storage.sql.asking import Asking
from oidc.storage.sql.lines import Lines
from oidc.storage.sql.remote_reading import RemoteReading
from oidc.storage.sql.remote_writing import RemoteWriting
from oidc.storage.sql.server import parameters_of
from oidc.storage.sql.walking import Walk, luggage, wait

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from sqlalchemy import Connection, Engine

    from oidc.storage.sql.line import Reply, Statement
    from oidc.storage.sql.remote_writing import Works
    from oidc.storage.transactions import Stores

T = TypeVar("T")
StoresT = TypeVar("StoresT", bound="Stores")


class Remote(Generic[StoresT]):
    """Reads and writes for event loops. Implements ``Together``.

    Args:
        engine: of the database.
        stores: makes the stores on a connection.
        works: lends them for one work, and does one by itself.
    """

    def __init__(
        self, engine: Engine, stores: Callable[[Connection], StoresT], works: Works
    ) -> None:
        self._engine, self._stores, self._works = engine, stores, works
        # A process that serves has one loop; tests have many.
        self._ends: dict[asyncio.AbstractEventLoop, _End[StoresT]] = {}

    async def write(self, work: Callable[[Stores], T]) -> T:
        """Do some work in a transaction; return when what it wrote is on disk."""
        return await self._end().writing.write(work)

    async def walk(self, steps: Coroutine[Any, Any, T]) -> T:
        """Await steps in which plain functions read: others are served while they wait."""
        return await Walk(steps, Luggage(self, self._end().stores))

    def reading(self) -> StoresT | None:
        """Return the stores that a walk reads from; None outside of one."""
        carried = luggage(Luggage)
        if carried is None or carried.owner is not self:
            return None
        stores: StoresT = carried.stores
        return stores

    def close(self) -> None:
        """Hang up everywhere. Those who ask later open new lines."""
        for loop, end in list(self._ends.items()):
            if loop.is_running():
                # It is known still: whoever is in the middle of asking opens a line anew.
                loop.call_soon_threadsafe(end.close)
            else:
                del self._ends[loop]
                end.drop()

    def _end(self) -> _End[StoresT]:
        loop = asyncio.get_running_loop()
        end = self._ends.get(loop)
        if end is None:
            self._drop_ended()
            end = self._ends[loop] = _End(self._engine, self._stores, self._works)
        return end

    def _drop_ended(self) -> None:
        for loop in [each for each in self._ends if each.is_closed()]:
            self._ends.pop(loop).drop()


class _End(Generic[StoresT]):
    """What belongs to one event loop."""

    def __init__(
        self, engine: Engine, stores: Callable[[Connection], StoresT], works: Works
    ) -> None:
        parameters = parameters_of(engine.url)
        self._lines = (Lines(parameters), Lines(parameters))
        reading = RemoteReading(self._lines[0])
        self.writing = RemoteWriting(engine, self._lines[1], works)

        def ask(statement: Statement) -> Reply:
            return wait(reading.ask(statement))

        # Not a connection: it refuses what is not prepared.
        self.stores = stores(cast("Connection", Asking(engine, ask)))

    def close(self) -> None:
        for each in self._lines:
            each.close()

    def drop(self) -> None:
        for each in self._lines:
            each.drop()


@dataclass(frozen=True, slots=True)
class Luggage:
    """What a walk carries.

    Attributes:
        owner: of which database.
        stores: it reads from these.
    """

    owner: object
    stores: Any

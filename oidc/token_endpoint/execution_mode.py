"""The two ways in which the token endpoint does what takes its time: in a thread, or around it.

In a thread all is done where it stands. In an event loop works wait for a commit together, and
tokens are minted in threads of their own: to sign by RSA takes a third of the whole request,
and others can be answered meanwhile.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from oidc.storage.transactions import AsyncTransactions, Stores, Transactions

    Body = dict[str, object]

T = TypeVar("T")

_SIGNING_THREADS: Final = 2
"""Threads that sign: what they do besides, they do one at a time."""


class ExecutionMode(Protocol):
    """Does what takes its time."""

    async def run_checks(self, steps: Coroutine[Any, Any, None]) -> None:
        """Await steps that read; raise ``ThreadNeeded`` if only a thread can take them."""

    async def write(self, work: Callable[[Stores], T]) -> T:
        """Do some work in a transaction; return when it is committed."""

    async def sign(self, make: Callable[[], Body]) -> Body:
        """Make the body of a token response."""


@dataclass(frozen=True, slots=True)
class InThread:
    """For a thread: nothing here waits for an event loop.

    Attributes:
        transactions: where each work is written, by itself.
    """

    transactions: Transactions

    async def run_checks(self, steps: Coroutine[Any, Any, None]) -> None:
        """Take the steps: reading waits here."""
        await steps

    async def write(self, work: Callable[[Stores], T]) -> T:
        """Do some work in a transaction of its own."""
        with self.transactions.write() as stores:
            return work(stores)

    async def sign(self, make: Callable[[], Body]) -> Body:
        """Make it here."""
        return make()


@dataclass(frozen=True, slots=True)
class InEventLoop:
    """For an event loop.

    Attributes:
        writer: reads and writes for several at once.
    """

    writer: AsyncTransactions
    _threads: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(_SIGNING_THREADS, "thenar-sign"), repr=False
    )

    async def run_checks(self, steps: Coroutine[Any, Any, None]) -> None:
        """Take the steps while others take theirs."""
        await self.writer.run(steps)

    async def write(self, work: Callable[[Stores], T]) -> T:
        """Do some work in the next transaction of all."""
        return await self.writer.write(work)

    async def sign(self, make: Callable[[], Body]) -> Body:
        """Make it in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, make)

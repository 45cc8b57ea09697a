"""The two execution modes of the token endpoint: in a thread, or in an event loop.

In an event loop writes share commits; tokens are signed in threads, because RSA takes a third
of a request.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from oidc.storage.database import Database
    from oidc.storage.group_commit import GroupCommit
    from oidc.storage.transactions import Stores

    Body = dict[str, object]

T = TypeVar("T")

_SIGNING_THREADS: Final = 2


class ExecutionMode(Protocol):
    """Runs the slow parts of a request."""

    async def write(self, work: Callable[[Stores], T]) -> T:
        """Run work in a transaction; return when it is committed."""

    async def sign(self, make: Callable[[], Body]) -> Body:
        """Make the body of a token response."""


@dataclass(frozen=True, slots=True)
class InThread:
    """For a thread."""

    transactions: Database

    async def write(self, work: Callable[[Stores], T]) -> T:
        """Run work in its own transaction."""
        with self.transactions.write() as stores:
            return work(stores)

    async def sign(self, make: Callable[[], Body]) -> Body:
        """Make it here."""
        return make()


@dataclass(frozen=True, slots=True)
class InEventLoop:
    """For an event loop."""

    group_commit: GroupCommit
    _threads: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(_SIGNING_THREADS, "thenar-sign"), repr=False
    )

    async def write(self, work: Callable[[Stores], T]) -> T:
        """Run work in the next group commit."""
        return await self.group_commit.write(work)

    async def sign(self, make: Callable[[], Body]) -> Body:
        """Make it in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, make)

"""Wakes waiting phones when their login changes: one query a second for all of them.

Nothing is written, and no nonce is spent while a phone waits.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from starlette.concurrency import run_in_threadpool

from oidc.errors import DatabaseUnavailable
from oidc.types import LoginId

INTERVAL_S: Final = 1.0
"""Between queries; they read one number for each waiting phone."""

_log = logging.getLogger("thenar.mobile")


class Waiter:
    """One phone that waits for one login."""

    def __init__(self, seq: int) -> None:
        self.seq = seq
        self.is_closed = False
        self._woken = asyncio.Event()

    def wake(self) -> None:
        """End the wait."""
        self._woken.set()

    def close(self) -> None:
        """End the stream."""
        self.is_closed = True
        self._woken.set()

    async def change(self, timeout_s: float) -> bool:
        """Wait for a change; False after the time."""
        try:
            await asyncio.wait_for(self._woken.wait(), timeout_s)
        except TimeoutError:
            return False
        self._woken.clear()
        return True


class LoginWatch:
    """Reads the sequence numbers of all awaited logins. Used in one event loop."""

    def __init__(self, numbers: Callable[[Sequence[LoginId]], Mapping[LoginId, int]]) -> None:
        self._numbers = numbers
        self._waiters: dict[LoginId, Waiter] = {}
        self._task: asyncio.Task[None] | None = None

    def enter(self, login_id: LoginId, seq: int) -> Waiter:
        """Wait for a login to leave this state; a newer stream ends the older one."""
        self.leave(login_id, self._waiters.get(login_id))
        waiter = self._waiters[login_id] = Waiter(seq)
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._watch())
        return waiter

    def leave(self, login_id: LoginId, waiter: Waiter | None) -> None:
        """Wait no longer."""
        if waiter is not None and self._waiters.get(login_id) is waiter:
            del self._waiters[login_id]
            waiter.close()

    def end(self) -> None:
        """End all streams: the process stops, phones connect to another one."""
        for waiter in self._waiters.values():
            waiter.close()

    async def _watch(self) -> None:
        try:
            while self._waiters:
                await asyncio.sleep(INTERVAL_S)
                await self._wake_changed()
        finally:
            self.end()  # on any error: phones connect again

    async def _wake_changed(self) -> None:
        asked = list(self._waiters)
        try:
            found = await run_in_threadpool(self._numbers, asked)
        except DatabaseUnavailable:
            _log.warning("could not query the awaited logins; will retry")
            return
        for login_id in asked:
            waiter = self._waiters.get(login_id)
            if waiter is not None and found.get(login_id) != waiter.seq:
                waiter.wake()

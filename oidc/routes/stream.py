"""Telling waiting pages what happened, and which code to show: server-sent events.

One query looks at all waiting logins of this process at once; a page learns what any process
did within the interval. Streams are counted before a response starts; one login has one stream,
and a new one ends the old.
"""

from __future__ import annotations

import asyncio
import json
import logging
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from oidc.errors import DatabaseAway
from oidc.routes.pages import is_over, seconds_left
from oidc.types import LoginState

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence

    CodeNow = Callable[[], tuple[Mapping[str, object], float]]

    from starlette.types import Receive, Scope, Send

    from oidc.types import Clock, LoginId
    from oidc.visits import Progress


_log = logging.getLogger(__name__)


class Subscription:
    """One stream's view of one login."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self.is_closed = False
        self._changed = asyncio.Event()

    def tell(self, progress: Progress) -> None:
        """Wake the stream if something changed."""
        if progress != self.progress:
            self.progress = progress
            self._changed.set()

    def close(self) -> None:
        """End the stream."""
        self.is_closed = True
        self._changed.set()

    async def change(self, timeout_s: float) -> bool:
        """Wait for a change; False if none came in time."""
        try:
            await asyncio.wait_for(self._changed.wait(), timeout_s)
        except TimeoutError:
            return False
        self._changed.clear()
        return True


class LoginWatch:
    """Looks at every waited-for login with one query per interval. Lives in one event loop."""

    def __init__(
        self,
        look: Callable[[Sequence[LoginId]], list[Progress]],
        *,
        interval_s: float,
        capacity: int,
    ) -> None:
        self._look = look
        self._interval_s = interval_s
        self._capacity = capacity
        self._subscriptions: dict[LoginId, Subscription] = {}
        self._task: asyncio.Task[None] | None = None

    def admit(self, progress: Progress) -> Subscription | None:
        """Return a subscription, ending an older one of the login; None if all are taken."""
        older = self._subscriptions.get(progress.login_id)
        if older is None and len(self._subscriptions) >= self._capacity:
            return None
        if older is not None:
            older.close()
        subscription = Subscription(progress)
        self._subscriptions[progress.login_id] = subscription
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._watch())
        return subscription

    def release(self, subscription: Subscription) -> None:
        """Give the place back."""
        login_id = subscription.progress.login_id
        if self._subscriptions.get(login_id) is subscription:
            del self._subscriptions[login_id]

    async def _watch(self) -> None:
        try:
            while self._subscriptions:
                for progress in await self._looked(list(self._subscriptions)):
                    if progress.login_id in self._subscriptions:
                        self._subscriptions[progress.login_id].tell(progress)
                await asyncio.sleep(self._interval_s)
        finally:
            # Whatever went wrong: the pages come back, or poll.
            for subscription in self._subscriptions.values():
                subscription.close()

    async def _looked(self, waiting: Sequence[LoginId]) -> list[Progress]:
        """Look once; while the database is away nothing is known to have happened."""
        try:
            return await run_in_threadpool(self._look, waiting)
        except DatabaseAway:
            _log.warning("the waiting logins could not be looked at; it is tried again")
            return []


class EventStream(StreamingResponse):
    """Server-sent events about one login; the place is given back however it ends."""

    def __init__(
        self,
        watch: LoginWatch,
        subscription: Subscription,
        clock: Clock,
        code_now: CodeNow,
        *,
        heartbeat_s: float,
        lifetime_s: float,
    ) -> None:
        self._watch = watch
        self._subscription = subscription
        self._clock = clock
        self._code_now = code_now
        self._heartbeat_s = heartbeat_s
        self._lifetime_s = lifetime_s
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(self._events(), media_type="text/event-stream", headers=headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Stream, then give the place back."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._watch.release(self._subscription)

    async def _events(self) -> AsyncIterator[str]:
        loop = asyncio.get_running_loop()
        ends_at = loop.time() + self._lifetime_s
        subscription = self._subscription
        yield "retry: 2000\n\n"
        yield self._event()
        while not is_over(subscription.progress):
            pause_s = self._heartbeat_s
            if subscription.progress.state is LoginState.PENDING:
                message, lasts_s = await run_in_threadpool(self._code_now)
                yield f"event: code\ndata: {json.dumps(message)}\n\n"
                pause_s = min(pause_s, lasts_s)
            left_s = ends_at - loop.time()
            changed = await subscription.change(max(0.0, min(pause_s, left_s)))
            if subscription.is_closed or (left_s <= pause_s and not changed):
                return
            yield self._event() if changed else ": waiting\n\n"

    def _event(self) -> str:
        message = progress_message(self._subscription.progress, self._clock)
        return f"event: progress\ndata: {json.dumps(message)}\n\n"


def progress_message(progress: Progress, clock: Clock) -> Mapping[str, object]:
    """Return what the page is told, by stream or by polling."""
    return {
        "state": progress.state,
        "hint": progress.hint,
        "expires_at": progress.expires_at.isoformat(),
        "expires_in": seconds_left(progress.expires_at, clock()),
        "is_over": is_over(progress),
        "is_renewable": progress.is_renewable,
    }

"""Server-sent events for waiting login pages: their progress and the current QR code.

One query per interval covers all waiting logins of this process, or only the changed ones
where the database sends notifications. Each login has one stream; a new stream ends the
old. Streams are counted before a response starts.
"""

from __future__ import annotations

import asyncio
import json
import logging
from typing import TYPE_CHECKING, Final

from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from oidc.errors import DatabaseUnavailable
from oidc.storage.change_notifications import notification_key
from oidc.types import LoginState
from oidc.web.pages import is_over, seconds_left

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence

    CodeNow = Callable[[], tuple[Mapping[str, object], float]]

    from starlette.types import Receive, Scope, Send

    from oidc.login.views import Progress
    from oidc.types import Clock, LoginId


NOTIFIED_INTERVAL_S: Final = 15.0
"""Interval of full queries while change notifications are active."""

_log = logging.getLogger(__name__)


class Subscription:
    """One stream's subscription to one login."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self.is_closed = False
        self._changed = asyncio.Event()

    def notify(self, progress: Progress) -> None:
        """Wake the stream if the progress changed."""
        if progress != self.progress:
            self.progress = progress
            self._changed.set()

    def close(self) -> None:
        """End the stream."""
        self.is_closed = True
        self._changed.set()

    async def change(self, timeout_s: float) -> bool:
        """Wait for a change; False on timeout."""
        try:
            await asyncio.wait_for(self._changed.wait(), timeout_s)
        except TimeoutError:
            return False
        self._changed.clear()
        return True


class LoginWatch:
    """Queries the progress of all subscribed logins. Used in one event loop.

    Args:
        fetch: returns the progress of logins, by one query.
        clock: tells the time.
        interval_s: between queries without change notifications.
        capacity: maximum number of subscriptions.
    """

    def __init__(
        self,
        fetch: Callable[[Sequence[LoginId]], list[Progress]],
        clock: Clock,
        *,
        interval_s: float,
        capacity: int,
    ) -> None:
        self._fetch = fetch
        self._clock = clock
        self._interval_s = interval_s
        self._capacity = capacity
        self._subscriptions: dict[LoginId, Subscription] = {}
        self._task: asyncio.Task[None] | None = None
        self._names: dict[str, LoginId] = {}
        self._notified: set[LoginId] = set()
        self._woken = asyncio.Event()
        self._is_notified = False
        self._is_over = False

    def end(self) -> None:
        """End all streams and accept no more: the process stops, pages reconnect elsewhere."""
        self._is_over = True
        for subscription in self._subscriptions.values():
            subscription.close()

    def subscribe(self, progress: Progress) -> Subscription | None:
        """Return a subscription, ending the login's older one; None at full capacity."""
        older = self._subscriptions.get(progress.login_id)
        is_full = older is None and len(self._subscriptions) >= self._capacity
        if is_full or self._is_over:
            return None
        if older is not None:
            older.close()
        subscription = Subscription(progress)
        self._subscriptions[progress.login_id] = subscription
        name = notification_key(progress.login_id)
        self._names[name] = progress.login_id
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._watch())
        elif self._is_notified:
            self.notify(name)  # it may have changed before the subscription
        return subscription

    def notify(self, name: str) -> None:
        """Query a changed login, if it is subscribed. In the event loop."""
        if name in self._names:
            self._notified.add(self._names[name])
            self._woken.set()

    def set_active(self, *, active: bool) -> None:
        """Set whether notifications cover all changes; query everything once. In the loop."""
        self._is_notified = active
        self._notified.update(self._subscriptions)
        self._woken.set()

    def unsubscribe(self, subscription: Subscription) -> None:
        """Remove the subscription."""
        login_id = subscription.progress.login_id
        if self._subscriptions.get(login_id) is subscription:
            del self._subscriptions[login_id]
            del self._names[notification_key(login_id)]

    async def _watch(self) -> None:
        try:
            due = list(self._subscriptions)
            while self._subscriptions:
                for progress in await self._fetch_progress(due):
                    if progress.login_id in self._subscriptions:
                        self._subscriptions[progress.login_id].notify(progress)
                due = await self._due()
        finally:
            # On any error the pages reconnect or poll.
            for subscription in self._subscriptions.values():
                subscription.close()

    async def _due(self) -> list[LoginId]:
        """Wait; return the changed logins, or all of them on timeout."""
        try:
            await asyncio.wait_for(self._woken.wait(), self._pause_s())
        except TimeoutError:
            return list(self._subscriptions)
        self._woken.clear()
        notified, self._notified = self._notified, set()
        return [login_id for login_id in notified if login_id in self._subscriptions]

    def _pause_s(self) -> float:
        """Return the time until all logins are queried again."""
        if not self._is_notified:
            return self._interval_s
        ends = (each.progress.expires_at for each in self._subscriptions.values())
        now = self._clock()
        left_s = (min(ends, default=now) - now).total_seconds()
        return min(NOTIFIED_INTERVAL_S, max(self._interval_s, left_s))

    async def _fetch_progress(self, waiting: Sequence[LoginId]) -> list[Progress]:
        """Query once; without a database, report no changes."""
        try:
            return await run_in_threadpool(self._fetch, waiting)
        except DatabaseUnavailable:
            _log.warning("could not query the waiting logins; will retry")
            return []


class EventStream(StreamingResponse):
    """Server-sent events of one login. Always unsubscribes at the end."""

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
        """Stream, then unsubscribe."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._watch.unsubscribe(self._subscription)

    async def _events(self) -> AsyncIterator[str]:
        loop = asyncio.get_running_loop()
        ends_at = loop.time() + self._lifetime_s
        subscription = self._subscription
        yield "retry: 2000\n\n"
        sent = subscription.progress
        yield self._event(sent)
        # Compare with what was sent last: the login may have changed meanwhile.
        while not is_over(sent):
            pause_s = self._heartbeat_s
            if sent.state is LoginState.PENDING:
                message, lasts_s = await run_in_threadpool(self._code_now)
                yield f"event: code\ndata: {json.dumps(message)}\n\n"
                pause_s = min(pause_s, lasts_s)
            left_s = ends_at - loop.time()
            changed = await subscription.change(max(0.0, min(pause_s, left_s)))
            if subscription.is_closed or (left_s <= pause_s and not changed):
                return
            if changed:
                sent = subscription.progress
            yield self._event(sent) if changed else ": waiting\n\n"

    def _event(self, progress: Progress) -> str:
        message = progress_message(progress, self._clock)
        return f"event: progress\ndata: {json.dumps(message)}\n\n"


def progress_message(progress: Progress, clock: Clock) -> Mapping[str, object]:
    """Return the progress as sent to the page, by stream or by polling."""
    return {
        "state": progress.state,
        "hint": progress.hint,
        "expires_at": progress.expires_at.isoformat(),
        "expires_in": seconds_left(progress.expires_at, clock()),
        "is_over": is_over(progress),
        "is_renewable": progress.is_renewable,
    }

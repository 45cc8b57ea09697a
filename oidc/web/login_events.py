"""Server-sent events for waiting login pages: their progress and the current QR code.

Streams are counted before a response starts.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

from starlette.responses import StreamingResponse

from oidc.types import LoginState
from oidc.web.pages import is_over, seconds_left

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    CodeNow = Callable[[], tuple[Mapping[str, object], float]]

    from starlette.types import Receive, Scope, Send

    from oidc.login.views import Progress
    from oidc.plumbing.login_watch import LoginWatch, Subscription
    from oidc.types import Clock


class EventStream(StreamingResponse):
    """Server-sent events of one login. Always unsubscribes at the end."""

    def __init__(
        self,
        watch: LoginWatch[Progress],
        subscription: Subscription[Progress],
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
        sent = subscription.state
        text = "retry: 2000\n\n" + self._event(sent)
        # Compare with what was sent last: the login may have changed meanwhile.
        while not is_over(sent):
            pause_s = self._heartbeat_s
            if sent.state is LoginState.PENDING:
                message, lasts_s = self._code_now()
                text += f"event: code\ndata: {json.dumps(message)}\n\n"
                pause_s = min(pause_s, lasts_s)
            yield text or ": waiting\n\n"
            left_s = ends_at - loop.time()
            changed = await subscription.change(max(0.0, min(pause_s, left_s)))
            if subscription.is_closed or (left_s <= pause_s and not changed):
                return
            if changed:
                sent = subscription.state
            text = self._event(sent) if changed else ""
        yield text

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
        "tries_left": progress.tries_left,
    }

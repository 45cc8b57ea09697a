"""The state of a login as a stream, for the phone that holds it: server-sent events."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from oidc.errors import LoginGone
from oidc.plumbing.login_watch import LoginWatch
from oidc.types import OPEN_STATES, ClaimedLoginState, LoginId

HEARTBEAT_S: Final = 15.0
"""A line now and then, so that proxies keep the connection and a lost one is noticed."""

_HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


def login_events(
    watch: LoginWatch[int],
    login_id: LoginId,
    first: ClaimedLoginState,
    look: Callable[[], ClaimedLoginState],
    message: Callable[[ClaimedLoginState], str],
    seconds_left: Callable[[ClaimedLoginState], float],
) -> StreamingResponse:
    """Stream the state now and each time it changes, until the login is over.

    ``look`` reads it in a thread, ``message`` makes it JSON, ``seconds_left`` counts down.
    """

    async def events() -> AsyncIterator[str]:
        state, subscription = first, watch.subscribe(login_id, first.seq)
        try:
            yield f"data: {message(state)}\n\n"
            while subscription is not None and state.state in OPEN_STATES:
                pause_s = min(HEARTBEAT_S, seconds_left(state) + 0.1)
                is_changed = await subscription.change(pause_s)
                if subscription.is_closed:
                    return
                if not is_changed and seconds_left(state) > 0:
                    yield ": waiting\n\n"
                    continue
                state = await run_in_threadpool(look)
                subscription.state = state.seq
                yield f"data: {message(state)}\n\n"
        except LoginGone:
            return
        finally:
            if subscription is not None:
                watch.unsubscribe(subscription)

    return StreamingResponse(events(), media_type="text/event-stream", headers=_HEADERS)

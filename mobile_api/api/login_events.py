"""The state of a login as a stream, for the phone that holds it: server-sent events."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from mobile_api.login.watch import LoginWatch
from oidc.errors import LoginGone
from oidc.types import OPEN_STATES, ClaimedLoginState, LoginId

HEARTBEAT_S: Final = 15.0
"""A line now and then, so that proxies keep the connection and a lost one is noticed."""

_HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


def login_events(
    watch: LoginWatch,
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
        state, waiter = first, watch.enter(login_id, first.seq)
        try:
            yield f"data: {message(state)}\n\n"
            while state.state in OPEN_STATES:
                pause_s = min(HEARTBEAT_S, seconds_left(state) + 0.1)
                is_changed = await waiter.change(pause_s)
                if waiter.is_closed:
                    return
                if not is_changed and seconds_left(state) > 0:
                    yield ": waiting\n\n"
                    continue
                state = await run_in_threadpool(look)
                waiter.seq = state.seq
                yield f"data: {message(state)}\n\n"
        except LoginGone:
            return
        finally:
            watch.leave(login_id, waiter)

    return StreamingResponse(events(), media_type="text/event-stream", headers=_HEADERS)

"""The few threads in which requests with tokens wait for a disk or a database.

In the forty threads of other requests they would spend half their time waiting for the
interpreter. A thread that gets no answer makes way for another one.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar
from weakref import WeakKeyDictionary

from oidc.errors import DatabaseUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

PLACES: Final = 8
"""Threads that work at once."""

STUCK_S: Final = 1.0
"""Work that takes longer waits for an answer, and takes no place."""

WAIT_S: Final = 5.0
"""How long a request waits for a place."""

_threads: Final = ThreadPoolExecutor(5 * PLACES, "thenar-token")
_places: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore]] = (
    WeakKeyDictionary()
)
_stuck: Final[set[object]] = set()


async def run_in_token_thread(work: Callable[..., T], *given: object) -> T:
    """Run work in one of the threads, in the caller's context: traces show its statements.

    Raises ``DatabaseUnavailable`` if no thread is free in time.
    """
    loop = asyncio.get_running_loop()
    places = _places.get(loop) or _places.setdefault(loop, asyncio.Semaphore(PLACES))
    try:
        async with asyncio.timeout(WAIT_S if places.locked() else None):
            await places.acquire()
    except TimeoutError:
        raise DatabaseUnavailable("no thread is free") from None
    run = partial(copy_context().run, work, *given)
    early = loop.call_later(STUCK_S, _give_back_early, places, run)
    try:
        return await loop.run_in_executor(_threads, run)
    finally:
        early.cancel()
        if run in _stuck:
            _stuck.remove(run)
        else:
            places.release()


def _give_back_early(places: asyncio.Semaphore, run: object) -> None:
    _stuck.add(run)
    places.release()


def require_free_threads() -> None:
    """Check that half of the places are not stuck. Raises ``DatabaseUnavailable``."""
    if 2 * len(_stuck) >= PLACES:
        raise DatabaseUnavailable("requests with tokens wait for an answer")

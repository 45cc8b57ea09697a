"""The fast path of the busiest requests, which carry tokens.

They are answered before the framework's layers, which cost more than they do. A few threads of
their own wait for a disk or a database: in the forty threads of other requests they would spend
half their time waiting for the interpreter. A thread that gets no answer makes way for another.
"""

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from types import MappingProxyType
from typing import Final, TypeVar
from weakref import WeakKeyDictionary

from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from oidc.errors import DatabaseUnavailable

_BUSIEST: Final = {"token": "POST", "userinfo": "GET"}
"""Endpoints and their usual method; the router has every other one, and they are there too."""


class DirectApp(FastAPI):
    """An application that finds its busiest routes in a dictionary.

    Their endpoints raise nothing that a handler of exceptions turns into a response.
    """

    _direct: Mapping[tuple[str, str], APIRoute] = MappingProxyType({})

    def answer_directly(self, router: APIRouter) -> None:
        """Answer the busiest requests of a router so."""
        self._direct = {
            (method, route.path): route
            for route in router.routes
            if isinstance(route, APIRoute)
            for endpoint, method in _BUSIEST.items()
            if method in (route.methods or ()) and route.path.endswith(f"/{endpoint}")
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or lifespan event."""
        route = None
        if scope["type"] == "http" and not scope.get("root_path"):
            route = self._direct.get((scope["method"], scope["path"]))
        if route is None:
            await super().__call__(scope, receive, send)
            return
        scope["route"] = route  # as the router does, for metrics
        response = await route.endpoint(Request(scope, receive))
        await response(scope, receive, send)


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
    """Run work in one of the threads, in the caller's context: log lines name its request.

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

"""Answers about this process to callers: health, readiness, and the address that it sees.

Ready means: databases reachable and written, no threads stuck, a signing key stored, the key of
templates readable, gallery in sync, the list of erasures whole. Anybody may ask, so the
response only names the checks and is cached for a second.

The answer says whether the address came from ``X-Forwarded-For`` or is the connection's, so it
finds a proxy that no setting names, or that lets clients write the header themselves.
"""

import logging
import re
import threading
from collections.abc import Callable
from time import monotonic
from typing import Final

import anyio
from anyio.to_thread import run_sync
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mobile_api.observability.logging import ErrorType, SafeWord

ASKED: Final = "X-Thenar-Probe"
"""Request header; its value is ignored."""

_HEADER: Final = ASKED.lower().encode()

SEEN: Final = "X-Thenar-Client"
"""Response header: an address, and ``forwarded`` or ``direct``."""

FORWARDED: Final = "forwarded"


class SeenAddress:
    """Answers the request header; a caller learns only its own address."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or all(name != _HEADER for name, _ in scope["headers"]):
            await self._app(scope, receive, send)
            return

        async def send_named(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[SEEN] = _seen(scope)
            await send(message)

        await self._app(scope, receive, send_named)


def _seen(scope: Scope) -> str:
    host = scope["client"][0] if scope.get("client") else "unknown"
    named = ",".join(Headers(scope=scope).getlist("x-forwarded-for"))
    entries = {each.strip() for each in named.split(",")}
    # With a port, as some proxies write it.
    is_named = any(re.fullmatch(rf"\[?{re.escape(host)}\]?(:\d+)?", each) for each in entries)
    return f"{host} {FORWARDED if is_named else 'direct'}"


LIVE: Final = "/healthz"
READY: Final = "/readyz"

CACHE_S: Final = 1.0
"""How long a result is cached."""

THREADS: Final = 2
"""For checks alone: requests that wait for a database take all others."""

WAIT_S: Final = 4.0
"""How long all checks may take: less than an orchestrator waits."""

LAG_LIMIT_S: Final = 5.0
"""How far the gallery may lag behind the database."""

LOGGER: Final = logging.getLogger("thenar.health")

_HEADERS: Final = {"Cache-Control": "no-store"}

Checks = dict[str, Callable[[], object]]
"""Readiness checks by name; each raises on failure."""


class Health:
    """Answers both paths and passes on everything else."""

    def __init__(
        self, app: ASGIApp, checks: Checks, clock: Callable[[], float] = monotonic
    ) -> None:
        self._app, self._checks, self._clock = app, checks, clock
        self._lock, self._limiter = threading.Lock(), anyio.CapacityLimiter(THREADS)
        self._cached: dict[str, str] = {}
        self._cached_until = float("-inf")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or scope["path"] not in (LIVE, READY):
            await self._app(scope, receive, send)
        elif scope["path"] == LIVE:
            await JSONResponse({"status": "alive"}, headers=_HEADERS)(scope, receive, send)
        else:
            await (await self._readiness_in_time())(scope, receive, send)

    async def _readiness_in_time(self) -> JSONResponse:
        """Check in threads that requests cannot use up."""
        with anyio.move_on_after(WAIT_S):
            return await run_sync(
                self._readiness, limiter=self._limiter, abandon_on_cancel=True
            )
        LOGGER.warning("not ready: the checks take too long")
        return _response({"in_time": "failed"})

    def _readiness(self) -> JSONResponse:
        with self._lock:
            if self._clock() >= self._cached_until:
                self._cached = {
                    name: _check(name, check) for name, check in self._checks.items()
                }
                self._cached_until = self._clock() + CACHE_S
            return _response(self._cached)


def _response(found: dict[str, str]) -> JSONResponse:
    is_ready = all(state == "ok" for state in found.values())
    body = {"status": "ready" if is_ready else "not_ready", "checks": found}
    return JSONResponse(body, 200 if is_ready else 503, headers=_HEADERS)


def _check(name: str, check: Callable[[], object]) -> str:
    """Return ``ok`` or ``failed``; no failure may end the process."""
    try:
        check()
    except Exception as fault:
        LOGGER.warning("not ready: %s (%s)", SafeWord(name), ErrorType(fault))
        return "failed"
    return "ok"

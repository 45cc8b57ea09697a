"""CORS for public clients: scripts from the origins of their redirect URIs may read answers.

Fetch standard §3.2. Covers token, userinfo and revocation, without cookies. The
authorization endpoint is for navigation only and allows no origin.
"""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from threading import Lock
from typing import Final
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from oidc.client import Authentication
from oidc.errors import DatabaseUnavailable
from oidc.storage.database import Database
from oidc.types import Clock

_MAX_AGE: Final = timedelta(seconds=5)
"""How long until a new client's origin is known to every process."""

_PREFLIGHT_S: Final = "600"
_REQUEST_HEADERS: Final = "Authorization, Content-Type, DPoP"
_RESPONSE_HEADERS: Final = "DPoP-Nonce, Retry-After, WWW-Authenticate"


class CorsPolicy:
    """Knows the origins of public clients; reloads them regularly."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._lock = Lock()
        self._origins: frozenset[str] = frozenset()
        self._read_at: datetime | None = None

    async def allow(self, request: Request, response: Response) -> Response:
        """Return the response, with CORS headers if the origin is allowed."""
        response.headers["Vary"] = "Origin"
        origin = await self._allowed_origin(request)
        if origin is not None:
            response.headers["Access-Control-Allow-Origin"] = origin
            response.headers["Access-Control-Expose-Headers"] = _RESPONSE_HEADERS
        return response

    async def preflight(self, request: Request, methods: Sequence[str]) -> Response:
        """Answer a preflight request."""
        response = Response(status_code=204, headers={"Vary": "Origin"})
        origin = await self._allowed_origin(request)
        if origin is not None:
            allowed = {
                "Access-Control-Allow-Origin": origin,
                "Access-Control-Allow-Methods": ", ".join(methods),
                "Access-Control-Allow-Headers": _REQUEST_HEADERS,
                "Access-Control-Max-Age": _PREFLIGHT_S,
            }
            response.headers.update(allowed)
        return response

    async def _allowed_origin(self, request: Request) -> str | None:
        origin = request.headers.get("origin")
        if origin is None:
            return None
        known = await run_in_threadpool(self._current_origins)
        return origin if origin in known else None

    def _current_origins(self) -> frozenset[str]:
        now = self._clock()
        with self._lock:
            if self._read_at is None or now - self._read_at >= _MAX_AGE:
                # Without a database the known origins stay: the answer may hold new tokens,
                # which would be lost if the script could not read it.
                with suppress(DatabaseUnavailable):
                    self._origins, self._read_at = self._read(), now
            return self._origins

    def _read(self) -> frozenset[str]:
        with self._database.read() as stores:
            clients = stores.clients.all()
        return frozenset(
            origin
            for client in clients
            if client.authentication is Authentication.NONE
            for origin in map(origin_of, client.redirect_uris)
            if origin is not None
        )


def origin_of(redirect_uri: str) -> str | None:
    """Return the origin as browsers write it; None for app schemes. RFC 6454 §6.2."""
    parts = urlsplit(redirect_uri)
    if parts.scheme not in ("http", "https") or parts.hostname is None:
        return None
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    is_default = parts.port in (None, {"http": 80, "https": 443}[parts.scheme])
    return f"{parts.scheme}://{host}" + ("" if is_default else f":{parts.port}")

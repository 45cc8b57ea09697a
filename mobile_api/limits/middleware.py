"""ASGI middleware that refuses requests beyond their network's rate limit.

The server determines the client address; no header is read here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from mobile_api.errors import TooManyRequests
from mobile_api.limits.client_address import client_network
from mobile_api.limits.rate import RateLimit


@dataclass(frozen=True, slots=True)
class RateRule:
    """A rate limit for some requests.

    Attributes:
        path: one path, or all below it if it ends in a slash.
        method: None for any.
    """

    rate: RateLimit
    path: str
    method: str | None = None

    def is_for(self, method: str, path: str) -> bool:
        """Tell whether a request counts here."""
        is_here = path.startswith(self.path) if self.path.endswith("/") else path == self.path
        return is_here and self.method in (None, method)


class RateLimitMiddleware:
    """Passes requests on while every rule that applies has room."""

    def __init__(self, app: ASGIApp, gates: Sequence[RateRule]) -> None:
        self._app, self._gates = app, gates

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or lifespan event."""
        if scope["type"] == "http":
            try:
                self._require(scope)
            except TooManyRequests as fault:
                await _refusal(fault)(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _require(self, scope: Scope) -> None:
        client = scope.get("client")
        network = client_network(client[0] if client else None)
        if network is None:
            return
        for gate in self._gates:
            if gate.is_for(scope["method"], scope["path"]):
                gate.rate.require(network)


def _refusal(fault: TooManyRequests) -> JSONResponse:
    """RFC 6585 §4."""
    body = {"error": fault.code, "message": str(fault), "error_description": str(fault)}
    headers = {"Retry-After": str(fault.retry_after_s), "Cache-Control": "no-store"}
    return JSONResponse(body, 429, headers)

"""Limits of requests by network, counted in the memory of one process or host.

The server determines the client address; no header is read here.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from mobile_api.errors import TooManyRequests
from oidc.plumbing.client_address import client_network
from oidc.plumbing.rate_limit import RateLimit


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
        """Return whether a request counts here."""
        is_here = path.startswith(self.path) if self.path.endswith("/") else path == self.path
        return is_here and self.method in (None, method)


class RateLimitMiddleware:
    """Passes requests on while every rule that applies allows them."""

    def __init__(self, app: ASGIApp, gates: Sequence[RateRule]) -> None:
        self._app, self._gates = app, gates

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or lifespan event."""
        if scope["type"] == "http":
            wait_s = self._wait_s(scope)
            if wait_s:
                await _refusal(scope, TooManyRequests(wait_s))(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _wait_s(self, scope: Scope) -> int:
        """Count the request; return the seconds to wait if a rule refuses it."""
        client = scope.get("client")
        network = client_network(client[0] if client else None)
        if network is None:
            return 0
        rates = (g.rate for g in self._gates if g.is_for(scope["method"], scope["path"]))
        return next((wait_s for rate in rates if (wait_s := rate.count(network))), 0)


def _refusal(scope: Scope, fault: TooManyRequests) -> Response:
    """Return a sentence for a browser, else JSON. RFC 6585 §4."""
    headers = {
        "Retry-After": str(fault.retry_after_s),
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
    }
    if "text/html" in Headers(scope=scope).get("accept", ""):
        text = f"Too many requests from your network: try again in {fault.retry_after_s} s."
        return PlainTextResponse(text, 429, headers)
    body = {"error": fault.code, "message": str(fault), "error_description": str(fault)}
    return JSONResponse(body, 429, headers)

"""Returns the address that the service sees a caller under: ``thenar doctor --probe`` does.

The answer says whether the address came from ``X-Forwarded-For`` or is the connection's, so it
finds a proxy that no setting names, or that lets clients write the header themselves.
"""

from __future__ import annotations

from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
    is_named = host in [each.strip() for each in named.split(",")]
    return f"{host} {FORWARDED if is_named else 'direct'}"

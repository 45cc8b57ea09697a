"""The busiest endpoints, found by one look into a dictionary.

A framework that tries route after route, and lays its layers around each, spends more on a
userinfo request than the answer does. Here the same handlers are called at once; whatever is
not listed, other methods of the same addresses among it, takes the ordinary way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.requests import Request

from oidc.errors import DatabaseUnavailable
from oidc.web.unavailable import away

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastapi.routing import APIRoute
    from starlette.types import ASGIApp, Receive, Scope, Send

_NO_STORE = {"Cache-Control": "no-store"}


class Shortcuts:
    """ASGI middleware: answers what it knows by method and path, hands on the rest."""

    def __init__(self, app: ASGIApp, routes: Mapping[tuple[str, str], APIRoute]) -> None:
        self._app = app
        self._routes = routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        route = None
        if scope["type"] == "http" and not scope.get("root_path"):
            route = self._routes.get((scope["method"], scope["path"]))
        if route is None:
            await self._app(scope, receive, send)
            return
        scope["route"] = route  # as the router does: whoever counts answers asks for it
        try:
            response = await route.endpoint(Request(scope, receive))
        except DatabaseUnavailable:
            response = away(_NO_STORE)
        await response(scope, receive, send)

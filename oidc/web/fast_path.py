"""The fast path of the busiest requests, which carry tokens.

They are answered before the framework's layers, which cost more than they do.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

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

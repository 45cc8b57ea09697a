"""shortcuts: the busiest endpoints are answered without the router, and nobody notices."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from oidc.errors import DatabaseUnavailable
from oidc.web.shortcuts import Shortcuts


async def answer(_request: Request) -> Response:
    """Answer at once."""
    return PlainTextResponse("short")


async def fail(_request: Request) -> Response:
    """Find no database."""
    raise DatabaseUnavailable


async def router(scope, _receive, send):
    """Answer everything the long way."""
    scope["route"] = None
    await PlainTextResponse("long")(scope, _receive, send)


def ask(method: str, path: str, root_path: str = "") -> tuple[int, bytes, str | None]:
    """Return status, body and the path of the route that whoever counts answers sees."""
    routes = {
        ("GET", "/userinfo"): APIRoute("/userinfo", answer),
        ("POST", "/token"): APIRoute("/token", fail),
    }
    scope: dict[str, Any] = {
        "type": "http",
        "method": method,
        "path": path,
        "root_path": root_path,
    }
    scope |= {"headers": [], "query_string": b""}
    sent = []

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        sent.append(message)

    asyncio.run(Shortcuts(router, routes)(scope, receive, send))
    return sent[0]["status"], sent[1]["body"], getattr(scope["route"], "path", None)


def test_a_listed_endpoint_is_answered_and_named():
    """The numbers for operators are kept by route, and read it from the scope."""
    assert ask("GET", "/userinfo") == (200, b"short", "/userinfo")


@pytest.mark.parametrize(
    ("method", "path", "root_path"),
    [("HEAD", "/userinfo", ""), ("GET", "/userinfo/", ""), ("GET", "/userinfo", "/mounted")],
)
def test_everything_else_goes_the_ordinary_way(method, path, root_path):
    """Other methods, other addresses, and an application mounted below a path."""
    assert ask(method, path, root_path) == (200, b"long", None)


def test_a_database_that_is_away_is_a_503():
    """As on the ordinary way: clients try again."""
    status, body, _route = ask("POST", "/token")

    assert status == 503
    assert b"temporarily_unavailable" in body

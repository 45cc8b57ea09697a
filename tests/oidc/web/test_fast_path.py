"""fast_path: the busiest endpoints are answered without the router, and nobody notices."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Receive, Scope, Send

from oidc.app import build_app
from oidc.errors import DatabaseUnavailable
from oidc.settings import OidcSettings
from oidc.web.fast_path import FastPath
from tests.support.service.sign_in import SignIn


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

    asyncio.run(FastPath(router, routes)(scope, receive, send))
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


@pytest.mark.parametrize(("method", "path"), [("POST", "/token"), ("GET", "/userinfo")])
def test_middleware_that_is_added_later_sees_the_busiest_endpoints(
    settings: OidcSettings, sign_in: SignIn, method: str, path: str
) -> None:
    """Rate limits, traces and headers of an operator must not miss these two."""
    app = build_app(settings)
    seen: list[str] = []

    class Recorder:
        def __init__(self, app: ASGIApp) -> None:
            self.app = app

        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
            seen.append(scope["path"])
            await self.app(scope, receive, send)
            assert scope["route"].path == path

    app.add_middleware(Recorder)
    response = TestClient(app).request(method, path)

    assert response.status_code in (400, 401)
    assert seen == [path]

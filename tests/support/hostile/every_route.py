"""Offers of another protocol to every route of an application that takes a body."""

import itertools
import re
from collections import ChainMap
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from starlette.types import ASGIApp

from tests.support.hostile.connections import AT_ONCE, OFFERS, answers_to, head, serving

BODY: Final = b"GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"

FRAMES: Final = {
    "length": (b"Content-Length: %d" % len(BODY), BODY),
    "chunks": (b"Transfer-Encoding: chunked", b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY)),
}

OFFERED: Final = ("h2c", "websocket", "foo")

Route = tuple[str, str]


def taking_a_body(app: FastAPI) -> list[Route]:
    """Return methods and paths."""
    return sorted(
        (method, re.sub(r"\{[^}]+\}", "x", str(each.path)))
        for each in iter_route_contexts(app.routes)
        for method in each.methods or ()
        if method not in ("GET", "HEAD")
    )


def answered_otherwise(app: ASGIApp, routes: list[Route], host: str) -> dict[object, list[int]]:
    """Send each route a body that would be a request, and then another request.

    Returns:
        The statuses of both where they are not those of the same requests without an offer.
    """
    with serving(app) as port, ThreadPoolExecutor(AT_ONCE) as pool:

        def statuses(route: Route, frame: str, *offer: bytes) -> list[int]:
            line, framed = FRAMES[frame]
            top = head(*route, b"Content-Type: application/json", line, *offer, host=host)
            after = head("GET", "/nowhere", b"Connection: close", host=host)
            return [each.status for each in answers_to(port, [top, framed, after])]

        def differing(case: tuple[Route, str]) -> dict[object, list[int]]:
            plain = statuses(*case)
            assert len(plain) == 2
            offered = {(*case, name): statuses(*case, OFFERS[name]) for name in OFFERED}
            return {each: got for each, got in offered.items() if got != plain}

        return dict(ChainMap(*pool.map(differing, itertools.product(routes, FRAMES))))

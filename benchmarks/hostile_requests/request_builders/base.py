"""What all valid requests are made of."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import urlsplit

from benchmarks.hostile_requests.person import Person
from benchmarks.hostile_requests.raw_http import Pair, Request

ClaimOverrides = Mapping[str, object]
"""Claims that are signed instead of the right ones."""

Builder = Callable[[Person, ClaimOverrides], Request]
"""Makes a valid request, but for its twisted claims."""

FORM: Final = "application/x-www-form-urlencoded"


def form(
    person: Person, path: str, fields: Mapping[str, str], *headers: Pair, page: bool = False
) -> Request:
    """Return a form as a client posts it, or as a page of the service does."""
    same_origin_headers = (
        (("Cookie", person.cookies), *person.same_origin_headers.items()) if page else ()
    )
    told = (host(person), ("Content-Type", FORM), *same_origin_headers, *headers)
    return Request("POST", path, headers=told, form=tuple(fields.items()))


def get(person: Person, path: str, query: Mapping[str, str], *headers: Pair) -> Request:
    """Return a request without a body."""
    told = (host(person), *headers)
    return Request("GET", path, tuple(query.items()), told)


def visit(person: Person, path: str, query: Mapping[str, str]) -> Request:
    """Return a visit by the browser that is signed in."""
    return get(person, path, query, ("Cookie", person.cookies), ("Accept", "text/html"))


def host(person: Person) -> Pair:
    """Return the header that names the service."""
    return "Host", urlsplit(person.address).netloc


def json_request(
    person: Person, method: str, path: str, document: object, *headers: Pair
) -> Request:
    """Return a JSON document as it is sent."""
    told = (host(person), ("Content-Type", "application/json"), *headers)
    return Request(method, path, headers=told, body=json.dumps(document).encode())


def bearer(person: Person, token: str = "") -> Pair:
    """Return the header that shows a token; the person's own unless one is given."""
    return "Authorization", f"Bearer {token or person.tokens['access_token']}"

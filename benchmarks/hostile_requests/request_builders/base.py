"""Parts that all request builders share."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import urlsplit

from benchmarks.hostile_requests.person import Person
from benchmarks.hostile_requests.raw_http import Pair, Request

ClaimOverrides = Mapping[str, object]
"""Claims that replace the right ones before signing."""

Builder = Callable[[Person, ClaimOverrides], Request]
"""Builds a request that is valid except for its overridden claims."""

FORM: Final = "application/x-www-form-urlencoded"


def form(
    person: Person, path: str, fields: Mapping[str, str], *headers: Pair, page: bool = False
) -> Request:
    """Return a form post of a client, or of a page of the service."""
    same_origin_headers = (
        (("Cookie", person.cookies), *person.same_origin_headers.items()) if page else ()
    )
    told = (host(person), ("Content-Type", FORM), *same_origin_headers, *headers)
    return Request("POST", path, headers=told, form=tuple(fields.items()))


def get(person: Person, path: str, query: Mapping[str, str], *headers: Pair) -> Request:
    """Return a GET request."""
    told = (host(person), *headers)
    return Request("GET", path, tuple(query.items()), told)


def visit(person: Person, path: str, query: Mapping[str, str]) -> Request:
    """Return a GET request of the signed-in browser."""
    return get(person, path, query, ("Cookie", person.cookies), ("Accept", "text/html"))


def host(person: Person) -> Pair:
    """Return the Host header."""
    return "Host", urlsplit(person.address).netloc


def json_request(
    person: Person, method: str, path: str, document: object, *headers: Pair
) -> Request:
    """Return a request with a JSON body."""
    told = (host(person), ("Content-Type", "application/json"), *headers)
    return Request(method, path, headers=told, body=json.dumps(document).encode())


def bearer(person: Person, token: str = "") -> Pair:
    """Return the bearer token header; the person's own token by default."""
    return "Authorization", f"Bearer {token or person.tokens['access_token']}"

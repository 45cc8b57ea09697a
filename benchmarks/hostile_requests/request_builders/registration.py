"""Dynamic client registration and management. RFC 7591, RFC 7592."""

from __future__ import annotations

from typing import Any

from benchmarks.hostile_requests.person import Person
from benchmarks.hostile_requests.raw_http import Request
from benchmarks.hostile_requests.request_builders.base import (
    ClaimOverrides,
    bearer,
    get,
    host,
    json_request,
)


def register(person: Person, _: ClaimOverrides) -> Request:
    """Register a client. RFC 7591 §3.1."""
    token = bearer(person, person.installation.initial_token)
    return json_request(person, "POST", "/register", _metadata(), token)


def register_again(person: Person, _: ClaimOverrides) -> Request:
    """Update a client. RFC 7592 §2.2."""
    name, token = person.registration()
    document = _metadata() | {"client_id": name}
    return json_request(person, "PUT", f"/register/{name}", document, bearer(person, token))


def read_registration(person: Person, _: ClaimOverrides) -> Request:
    """Read a client. RFC 7592 §2.1."""
    name, token = person.registration()
    return get(person, f"/register/{name}", {}, bearer(person, token))


def unregister(person: Person, _: ClaimOverrides) -> Request:
    """Delete a client. RFC 7592 §2.3."""
    name, token = person.registration()
    told = (host(person), bearer(person, token))
    return Request("DELETE", f"/register/{name}", headers=told)


def _metadata() -> dict[str, Any]:
    return {
        "client_name": "Garden",
        "redirect_uris": ["https://garden.example/back"],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "scope": "openid offline_access",
        "token_endpoint_auth_method": "client_secret_post",
        "post_logout_redirect_uris": ["https://garden.example/left"],
        "backchannel_logout_uri": "https://garden.example/logout",
        "id_token_signed_response_alg": "ES256",
    }

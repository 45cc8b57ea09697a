"""Requests to the token, revocation, introspection and userinfo endpoints."""

from __future__ import annotations

from benchmarks.hostile_requests.installation import REDIRECT_URI
from benchmarks.hostile_requests.person import VERIFIER, Person
from benchmarks.hostile_requests.raw_http import Request
from benchmarks.hostile_requests.request_builders.base import ClaimOverrides, bearer, form, get
from benchmarks.hostile_requests.request_builders.client_authentication import (
    assertion,
    basic,
    dpop,
    secret,
)


def exchange(person: Person, _: ClaimOverrides) -> Request:
    """Exchange a code."""
    fields = {"grant_type": "authorization_code", "code": person.code()}
    return form(person, "/token", fields | _proofs() | secret(person))


def exchange_basic(person: Person, overrides: ClaimOverrides) -> Request:
    """Exchange a code with client_secret_basic and DPoP."""
    fields = {"grant_type": "authorization_code", "code": person.code()} | _proofs()
    proof = dpop(person, "POST", "/oauth/token", overrides)
    return form(person, "/oauth/token", fields, basic(person), proof)


def exchange_signed(person: Person, overrides: ClaimOverrides) -> Request:
    """Exchange another client's code with private_key_jwt."""
    fields = {"grant_type": "authorization_code", "code": person.code()} | _proofs()
    return form(person, "/token", fields | assertion(person, overrides))


def _proofs() -> dict[str, str]:
    return {"redirect_uri": REDIRECT_URI, "code_verifier": VERIFIER}


def refresh(person: Person, _: ClaimOverrides) -> Request:
    """Use a refresh token."""
    fields = {"grant_type": "refresh_token", "refresh_token": person.refresh_token()}
    return form(person, "/token", fields | secret(person))


def revoke(person: Person, _: ClaimOverrides) -> Request:
    """Revoke a refresh token."""
    fields = {"token": person.refresh_token(), "token_type_hint": "refresh_token"}
    return form(person, "/revoke", fields | secret(person))


def introspect(person: Person, _: ClaimOverrides) -> Request:
    """Introspect an access token."""
    fields = {"token": person.tokens["access_token"], "token_type_hint": "access_token"}
    return form(person, "/introspect", fields | secret(person))


def userinfo(person: Person, _: ClaimOverrides) -> Request:
    """Request userinfo."""
    return get(person, "/userinfo", {}, bearer(person))


def userinfo_form(person: Person, _: ClaimOverrides) -> Request:
    """Request userinfo with the token in the body. RFC 6750 §2.2."""
    return form(person, "/oauth/userinfo", {"access_token": person.tokens["access_token"]})


def userinfo_bound(person: Person, overrides: ClaimOverrides) -> Request:
    """Send a DPoP proof with a token that is not bound to a key."""
    token = person.tokens["access_token"]
    proof = dpop(person, "GET", "/userinfo", overrides, token)
    return get(person, "/userinfo", {}, ("Authorization", f"DPoP {token}"), proof)

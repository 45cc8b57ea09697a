"""Authorization requests, pushed requests and logouts."""

from __future__ import annotations

import base64
import json
import secrets

from benchmarks.hostile_requests.installation import REDIRECT_URI
from benchmarks.hostile_requests.person import CHALLENGE, Person
from benchmarks.hostile_requests.raw_http import Request
from benchmarks.hostile_requests.request_builders.base import ClaimOverrides, form, get, visit
from benchmarks.hostile_requests.request_builders.client_authentication import (
    assertion,
    dpop,
    secret,
)


def asked(person: Person, **mutations: str) -> dict[str, str]:
    """Return the parameters of an authorization request."""
    return {
        "response_type": "code",
        "client_id": person.installation.shop.client_id,
        "redirect_uri": REDIRECT_URI,
        "scope": "openid offline_access",
        "state": secrets.token_urlsafe(8),
        "nonce": secrets.token_urlsafe(8),
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
    } | mutations


def authorize(person: Person, _: ClaimOverrides) -> Request:
    """Start a login with the browser's session."""
    return visit(person, "/oauth/authorize", asked(person))


def authorize_form(person: Person, _: ClaimOverrides) -> Request:
    """Start a login by POST."""
    return form(person, "/oauth/authorize", asked(person), page=True)


def authorize_silently(person: Person, _: ClaimOverrides) -> Request:
    """Ask with prompt=none and every optional parameter."""
    hints = {"prompt": "none", "id_token_hint": person.tokens["id_token"], "max_age": "600"}
    wishes = {"ui_locales": "de fr", "acr_values": "1", "login_hint": "x", "display": "page"}
    claims = {"claims": json.dumps({"id_token": {"acr": {"essential": True}}})}
    return visit(person, "/oauth/authorize", asked(person, **hints, **wishes, **claims))


def authorize_linked(person: Person, _: ClaimOverrides) -> Request:
    """Ask for one ``user_id``, with form_post."""
    subject = json.loads(_decoded(person.tokens["id_token"]))["sub"]
    wishes = {"user_id": subject, "response_mode": "form_post"}
    return visit(person, "/oauth/authorize", asked(person, **wishes))


def authorize_pushed(person: Person, _: ClaimOverrides) -> Request:
    """Ask with a pushed request. RFC 9126 §4."""
    fields = asked(person) | secret(person)
    pushed = person.http.post(f"{person.address}/par", data=fields).json()
    reference = str(pushed.get("request_uri", "gone"))
    person.planted.add("request_uri", reference)
    named = {"client_id": person.installation.shop.client_id, "request_uri": reference}
    return visit(person, "/oauth/authorize", named)


def authorize_by_object(person: Person, overrides: ClaimOverrides) -> Request:
    """Ask with a request object. OpenID Connect Core §6.1."""
    fields = asked(person, client_id=person.installation.signer.client_id)
    key = person.installation.signer_key
    signed = person.signed(key, {"alg": "ES256"}, fields, overrides)
    return visit(person, "/oauth/authorize", fields | {"request": signed})


def push(person: Person, overrides: ClaimOverrides) -> Request:
    """Push a request with a client assertion."""
    fields = asked(person, client_id=person.installation.signer.client_id)
    return form(person, "/par", fields | assertion(person, overrides))


def push_plain(person: Person, overrides: ClaimOverrides) -> Request:
    """Push a request bound to a DPoP key."""
    proof = dpop(person, "POST", "/par", overrides)
    return form(person, "/par", asked(person) | secret(person), proof)


def logout(person: Person, _: ClaimOverrides) -> Request:
    """Start a logout without cookies, to keep the session."""
    query = {"client_id": person.installation.shop.client_id, "ui_locales": "ar", "state": "s"}
    leaving = {"post_logout_redirect_uri": REDIRECT_URI}
    return get(person, "/oauth/logout", query | leaving)


def logout_form(person: Person, _: ClaimOverrides) -> Request:
    """Log out with an id_token_hint, by POST."""
    return form(person, "/oauth/logout", {"id_token_hint": person.tokens["id_token"]})


def logout_confirm(person: Person, _: ClaimOverrides) -> Request:
    """Confirm a logout with an invalid proof."""
    same_origin_headers = tuple(person.same_origin_headers.items())
    return form(
        person,
        "/oauth/logout/confirm",
        {"proof": secrets.token_urlsafe(32)},
        *same_origin_headers,
    )


def _decoded(token: str) -> bytes:
    part = token.split(".")[1]
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))

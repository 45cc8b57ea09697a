"""Requests of browsers: consent page, portal, public documents."""

from __future__ import annotations

import secrets
from typing import Final

from benchmarks.hostile_requests.person import Person
from benchmarks.hostile_requests.raw_http import Request
from benchmarks.hostile_requests.request_builders.base import (
    ClaimOverrides,
    form,
    get,
    host,
    visit,
)

_PAGES: Final = "/.well-known/openid-configuration /.well-known/jwks.json " \
    "/.well-known/oauth-authorization-server /oauth/static/page.css /oauth/static/consent.js " \
    "/healthz /readyz /m /m/manifest.webmanifest /m/main.js /mobile/v1/openapi.json " \
    "/mobile/v1/consent /mobile/v1/nonce / /robots.txt /docs " \
    "/portal /portal/join /portal/trial /portal/clients/new"  # fmt: skip


def consent_page(person: Person, _: ClaimOverrides) -> Request:
    """Open the consent page."""
    return visit(person, f"/oauth/consent/{person.login().login_id}", {})


def consent_state(person: Person, _: ClaimOverrides) -> Request:
    """Poll the state of a login."""
    return visit(person, f"/oauth/consent/{person.login().login_id}/state", {})


def consent_events(person: Person, _: ClaimOverrides) -> Request:
    """Open the event stream of a login."""
    return visit(person, f"/oauth/consent/{person.login().login_id}/events", {})


def consent_cancel(person: Person, _: ClaimOverrides) -> Request:
    """Cancel a login."""
    return _consent(person, "cancel")


def consent_continue(person: Person, _: ClaimOverrides) -> Request:
    """Continue before the login is approved."""
    return _consent(person, "continue")


def consent_renew(person: Person, _: ClaimOverrides) -> Request:
    """Ask for a new QR code."""
    return _consent(person, "renew")


def consent_code(person: Person, _: ClaimOverrides) -> Request:
    """Send a confirmation code."""
    return _consent(person, "code", code="1234")


def _consent(person: Person, action: str, **fields: str) -> Request:
    path = f"/oauth/consent/{person.login().login_id}/{action}"
    return form(person, path, fields, page=True)


def page(person: Person, _: ClaimOverrides) -> Request:
    """Open a public page or document."""
    return visit(person, secrets.choice(_PAGES.split()), {})


def preflight(person: Person, _: ClaimOverrides) -> Request:
    """Send a CORS preflight request. Fetch §4.8."""
    path = secrets.choice(("/token", "/userinfo", "/.well-known/jwks.json"))
    told = (("Origin", "https://shop.example"), ("Access-Control-Request-Method", "POST"))
    return Request("OPTIONS", path, headers=(host(person), *told))


def portal_callback(person: Person, _: ClaimOverrides) -> Request:
    """Return to the portal with an unrequested response."""
    path = secrets.choice(("/portal/callback", "/portal/trial/callback"))
    answer = {"code": "x", "state": "y", "iss": person.installation.service.issuer}
    flow = secrets.token_urlsafe(80)
    cookie = f"{person.cookies}; thenar-portal-flow={flow}"
    return get(person, path, answer, ("Cookie", cookie))

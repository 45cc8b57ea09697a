"""Valid requests to the endpoints that no OpenAPI description covers, each within its flow.

A mutated valid request passes more checks than one that is wrong from the start.
"""

import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final
from urllib.parse import urlsplit

from mobile_api.reference_phone.client import parse_link
from tests.support.hostile.raw_http import Pair, Request
from tests.support.phone.reference import Phone
from tests.support.service.headless_browser import Browser, Callback
from tests.support.service.html_page import Page
from tests.support.service.relying_party import RelyingParty

FORM: Final = "application/x-www-form-urlencoded"

METADATA: Final = {
    "client_name": "Garden",
    "redirect_uris": ["https://garden.example/back"],
    "token_endpoint_auth_method": "client_secret_post",
    "post_logout_redirect_uris": ["https://garden.example/left"],
}

PAGES: Final = (
    "/.well-known/openid-configuration", "/.well-known/jwks.json", "/oauth/static/page.css",
    "/m", "/mobile/v1/nonce", "/portal", "/portal/join",
)  # fmt: skip


@dataclass(slots=True)
class Visitor:
    """A person who is signed in, with a phone and a relying party.

    Attributes:
        browser: holds the session.
        tokens: of the sign-in.
        registration_token: an initial access token. RFC 7591 §3.
        kept: every secret that was issued, each by its own name.
    """

    address: str
    party: RelyingParty
    browser: Browser
    phone: Phone
    tokens: dict[str, Any] = field(repr=False)
    registration_token: str = field(repr=False)
    kept: dict[str, str] = field(default_factory=dict, repr=False)

    def keep(self, kind: str, secret: str) -> str:
        """Note a secret that may be found nowhere, and return it."""
        self.kept[f"{kind} {len(self.kept)}"] = secret
        return secret

    def code(self) -> str:
        """Return a code of the session."""
        there = self.browser.visit(self.party.authorization_url(scope="openid offline_access"))
        assert isinstance(there, Callback), there
        return self.keep("code", there.parameters["code"])

    def refresh_token(self) -> str:
        """Return an unused refresh token."""
        tokens = self.party.exchange(self.code()).raise_for_status().json()
        return self.keep("refresh_token", tokens["refresh_token"])

    def pending(self) -> Page:
        """Open a consent page that waits for a palm."""
        return self.browser.open_page(self.party.authorization_url(prompt="login"))

    def registered(self) -> tuple[str, str]:
        """Register a client; return its id and its registration access token."""
        bearer = {"Authorization": f"Bearer {self.registration_token}"}
        made = self.party.http.post(f"{self.address}/register", json=METADATA, headers=bearer)
        given = made.raise_for_status().json()
        self.keep("client_secret", given["client_secret"])
        return given["client_id"], self.keep("token", given["registration_access_token"])

    @property
    def host(self) -> Pair:
        """The Host header."""
        return "Host", urlsplit(self.address).netloc

    @property
    def page_headers(self) -> tuple[Pair, ...]:
        """Cookies, and what a form of the service's own page sends with them."""
        jar = self.browser.http.cookies.jar
        cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in jar)
        return ("Cookie", cookies), ("Origin", self.address), ("Sec-Fetch-Site", "same-origin")

    @property
    def secret(self) -> dict[str, str]:
        """Fields of client_secret_post."""
        registration = self.party.registration
        return {
            "client_id": registration.client_id,
            "client_secret": registration.client_secret,
        }


def _get(visitor: Visitor, path: str, *headers: Pair, **query: str) -> Request:
    return Request("GET", path, tuple(query.items()), (visitor.host, *headers))


def _form(visitor: Visitor, path: str, fields: Mapping[str, str], *headers: Pair) -> Request:
    sent = (visitor.host, ("Content-Type", FORM), *headers)
    return Request("POST", path, headers=sent, form=tuple(fields.items()))


def _json(visitor: Visitor, method: str, path: str, body: object, *headers: Pair) -> Request:
    sent = (visitor.host, ("Content-Type", "application/json"), *headers)
    return Request(method, path, headers=sent, body=json.dumps(body).encode())


def _asked(visitor: Visitor, **changes: str) -> dict[str, str]:
    return {
        "response_type": "code",
        "client_id": visitor.party.registration.client_id,
        "redirect_uri": visitor.party.registration.redirect_uri,
        "scope": "openid offline_access",
        "state": visitor.keep("state", secrets.token_urlsafe(18)),
        "nonce": visitor.keep("nonce", secrets.token_urlsafe(18)),
    } | changes


def _authorize_silently(visitor: Visitor) -> Request:
    hints = {"prompt": "none", "id_token_hint": visitor.tokens["id_token"], "max_age": "600"}
    claims = json.dumps({"id_token": {"acr": {"essential": True}}})
    asked = _asked(visitor, **hints, ui_locales="de fr", claims=claims)
    return _get(visitor, "/oauth/authorize", *visitor.page_headers, **asked)


def _authorize_pushed(visitor: Visitor) -> Request:
    fields = _asked(visitor) | visitor.secret
    pushed = visitor.party.http.post(f"{visitor.address}/par", data=fields).json()
    named = {"client_id": fields["client_id"], "request_uri": pushed["request_uri"]}
    return _get(visitor, "/oauth/authorize", *visitor.page_headers, **named)


def _exchange(visitor: Visitor) -> Request:
    redirect = visitor.party.registration.redirect_uri
    fields = {"grant_type": "authorization_code", "redirect_uri": redirect}
    return _form(visitor, "/token", fields | {"code": visitor.code()} | visitor.secret)


def _refresh(visitor: Visitor) -> Request:
    fields = {"grant_type": "refresh_token", "refresh_token": visitor.refresh_token()}
    return _form(visitor, "/oauth/token", fields | visitor.secret)


def _userinfo(visitor: Visitor) -> Request:
    bearer = "Authorization", f"Bearer {visitor.tokens['access_token']}"
    return _get(visitor, "/userinfo", bearer)


def _register(visitor: Visitor) -> Request:
    bearer = "Authorization", f"Bearer {visitor.registration_token}"
    return _json(visitor, "POST", "/register", METADATA, bearer)


def _managed(method: str, visitor: Visitor) -> Request:
    name, token = visitor.registered()
    body = METADATA | {"client_id": name} if method == "PUT" else None
    return _json(
        visitor, method, f"/register/{name}", body, ("Authorization", f"Bearer {token}")
    )


def _consent(action: str, visitor: Visitor) -> Request:
    path = urlsplit(visitor.pending().url).path
    if action in ("", "/state"):
        return _get(visitor, path + action, *visitor.page_headers)
    return _form(visitor, path + action, {"code": "1234"}, *visitor.page_headers)


def _page(path: str, visitor: Visitor) -> Request:
    return _get(visitor, path, *visitor.page_headers)


def _claim(visitor: Visitor) -> Request:
    ticket = parse_link(visitor.pending().address("phone-link", "href")).ticket
    body = json.dumps({"ticket": ticket}).encode()
    sent = (visitor.host, ("Content-Type", "application/json"))
    proof = visitor.keep("proof", visitor.phone.proof("POST", "/logins", body))
    return Request("POST", "/mobile/v1/logins", headers=(*sent, ("DPoP", proof)), body=body)


def _preflight(visitor: Visitor) -> Request:
    sent = ("Origin", "https://shop.example"), ("Access-Control-Request-Method", "POST")
    return Request("OPTIONS", "/token", headers=(visitor.host, *sent))


REQUESTS: Final[Mapping[str, Callable[[Visitor], Request]]] = {
    "authorize": lambda v: _get(v, "/oauth/authorize", *v.page_headers, **_asked(v)),
    "authorize silently": _authorize_silently,
    "authorize by form": lambda v: _form(v, "/oauth/authorize", _asked(v), *v.page_headers),
    "authorize pushed": _authorize_pushed,
    "push": lambda v: _form(v, "/par", _asked(v) | v.secret),
    "exchange": _exchange,
    "refresh": _refresh,
    "revoke": lambda v: _form(v, "/revoke", {"token": v.refresh_token()} | v.secret),
    "introspect": lambda v: _form(v, "/introspect", {"token": v.refresh_token()} | v.secret),
    "userinfo": _userinfo,
    "userinfo by form": lambda v: _form(
        v, "/userinfo", {"access_token": v.tokens["access_token"]}
    ),
    "register": _register,
    **{f"registration {method}": partial(_managed, method) for method in ("GET", "PUT")},
    "unregister": partial(_managed, "DELETE"),
    # Without cookies: the session stays.
    "logout": lambda v: _get(v, "/oauth/logout", client_id=v.party.registration.client_id),
    "logout by hint": lambda v: _form(
        v, "/oauth/logout", {"id_token_hint": v.tokens["id_token"]}
    ),
    **{
        f"consent{action}": partial(_consent, action)
        for action in ("", "/state", "/cancel", "/continue", "/renew", "/code")
    },
    **{f"page {path}": partial(_page, path) for path in PAGES},
    "claim a login": _claim,
    "preflight": _preflight,
}

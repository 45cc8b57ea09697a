"""A whole provider with one client, a browser, and a phone whose palm a test names."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit
from uuid import UUID

from joserfc import jwt
from joserfc.jwk import KeySet
from starlette.testclient import TestClient

from oidc.accounts import pseudonym
from oidc.app import build_app, migrate, open_handoff
from oidc.client import ConfirmCode
from oidc.clients.registry import RegisteredClient
from oidc.jobs import RetentionJobs
from oidc.opening import open_database
from oidc.settings import OidcSettings
from oidc.types import (
    AccountId,
    Authenticated,
    Claimant,
    Level,
    LoginId,
    PairwiseSubject,
    Ticket,
)
from tests.support.clock import FakeClock
from tests.support.service.clients import add_client
from tests.support.service.html_page import read_page

REDIRECT_URI = "https://shop.example/callback?tenant=1"
ANNA = AccountId(UUID("11111111-1111-4111-8111-111111111111"))
BERT = AccountId(UUID("22222222-2222-4222-8222-222222222222"))
PHONE = Claimant("phone-of-anna")
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
"""The pair of RFC 7636, appendix B."""


def query_of(location: str) -> dict[str, str]:
    """Return the query of an address."""
    return dict(parse_qsl(urlsplit(location).query, keep_blank_values=True))


def onward(answer: Any) -> str:
    """Return where a browser goes by itself; empty if it stays."""
    headers = dict(answer.headers.items())
    return read_page(str(answer.url), answer.status_code, headers, answer.text).onward


def response_of(answer: Any) -> dict[str, str]:
    """Return the authorization response, which the client reads in its address."""
    assert onward(answer), answer.text
    assert not is_asked(answer), onward(answer)
    return query_of(onward(answer))


def is_asked(answer: Any) -> bool:
    """Return whether the browser is sent to the consent page."""
    return "/oauth/consent/" in onward(answer)


def error_of(answer: Any) -> tuple[int, str]:
    """Return the status and the error that a program gets."""
    return answer.status_code, answer.json()["error"]


def essential(*levels: str) -> str:
    """Return claims that demand one of these levels."""
    return json.dumps({"id_token": {"acr": {"essential": True, "values": levels}}})


@dataclass
class SignIn:
    """Plays browser, phone and relying party against the provider built from some settings."""

    settings: OidcSettings
    clock: FakeClock = field(default_factory=FakeClock)
    codes: dict[str, str | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.app = build_app(self.settings, self.clock)
        self.handoff = open_handoff(self.settings, self.clock)
        self.database = open_database(self.settings)
        self.shop = self.register("Corner Bookshop", REDIRECT_URI)
        self.browser = self.new_browser()

    def close(self) -> None:
        """Close the error log and the databases."""
        own = self.app.state
        for each in (own.error_log, self.database, own.database, self.handoff):
            each.close()

    def sweep(self) -> None:
        """Delete expired rows, as the provider does every few seconds."""
        self.housekeeping.sweep()

    @property
    def housekeeping(self) -> RetentionJobs:
        """The jobs that delete expired rows."""
        settings = self.settings
        return RetentionJobs(self.database, settings.limits, settings.retention, self.clock)

    def register(self, name: str, redirect_uri: str | None, **options: Any) -> RegisteredClient:
        """Register another relying party."""
        with self.database.write() as stores:
            # The specification's own client knows no code to type.
            usual: dict[str, Any] = {"confirm_code": ConfirmCode.NEVER}
            uris = [] if redirect_uri is None else [redirect_uri]
            return add_client(stores, name, uris, self.clock(), **usual | options)

    def at(self, registered: RegisteredClient) -> SignIn:
        """Return the same provider, browser and phone with another relying party."""
        other = copy(self)
        other.shop = registered
        return other

    def another(
        self,
        name: str = "Other",
        redirect_uri: str | None = "https://other.example/cb",
        **options: Any,
    ) -> SignIn:
        """Register another relying party, and return everything with that one."""
        return self.at(self.register(name, redirect_uri, **options))

    def fresh(self) -> SignIn:
        """Return the same provider with another client and a new browser."""
        other = self.another("Corner Bookshop", REDIRECT_URI)
        other.browser, other.codes = self.new_browser(), {}
        return other

    def new_browser(self) -> TestClient:
        """Return a browser with an empty cookie jar, at the consent page's host."""
        return TestClient(
            self.app, base_url=_origin(self.settings.auth_url), follow_redirects=False
        )

    def request(
        self, registered: RegisteredClient | None = None, /, **changes: str | None
    ) -> dict[str, str]:
        """Return a valid authorization request, changed; None leaves a field out."""
        client = (registered or self.shop).client
        fields: dict[str, str | None] = {
            "response_type": "code",
            "client_id": client.client_id,
            "redirect_uri": client.redirect_uris[0],
            "scope": "openid",
            "state": "af0ifjsldkj",
            "code_challenge": CHALLENGE if client.require_pkce else None,
            "code_challenge_method": "S256" if client.require_pkce else None,
            **changes,
        }
        return {name: value for name, value in fields.items() if value is not None}

    def authorization_url(self, **changes: str | None) -> str:
        """Return the address of an authorization request, changed."""
        return f"{self.settings.auth_url}/oauth/authorize?{urlencode(self.request(**changes))}"

    def ask(self, browser: TestClient | None = None, /, **changes: str | None) -> Any:
        """Send an authorization request, changed."""
        return self.authorize(self.request(**changes), browser)

    def authorize(self, params: Any, browser: TestClient | None = None) -> Any:
        """Send an authorization request."""
        url = f"{self.settings.auth_url}/oauth/authorize"
        return (browser or self.browser).get(url, params=params)

    def send(self, method: str, params: Any) -> Any:
        """Send an authorization request by GET or by POST."""
        url = f"{self.settings.auth_url}/oauth/authorize"
        part = {"data": params} if method == "POST" else {"params": params}
        return self.browser.request(method, url, **part)

    def open_page(self, browser: TestClient | None = None, /, **changes: str | None) -> str:
        """Start a login; return the consent page's address."""
        answer = self.ask(browser, **changes)
        assert answer.status_code == 302, answer.text
        assert is_asked(answer), answer.headers["location"]
        return str(answer.headers["location"])

    def ticket_on(self, page: str, browser: TestClient | None = None) -> Ticket:
        """Scan the QR code: read the link on the page."""
        html = (browser or self.browser).get(page).text
        found = re.search(r'id="phone-link" href="[^"#]+#([^"&]+)&amp;here"', html)
        assert found is not None
        return Ticket(found[1])

    def recognise(
        self,
        page: str,
        account: AccountId = ANNA,
        claimant: Claimant = PHONE,
        browser: TestClient | None = None,
        level: Level = Level.PALM_AND_PHONE,
    ) -> LoginId:
        """Scan, and let the palm be this account's."""
        claimed = self.handoff.claim(self.ticket_on(page, browser), claimant)
        outcome = Authenticated(account, self.clock(), level)
        self.handoff.record_outcome(claimed.login_id, claimant, outcome)
        return claimed.login_id

    def approve(
        self,
        page: str,
        account: AccountId = ANNA,
        claimant: Claimant = PHONE,
        level: Level = Level.PALM_AND_PHONE,
        browser: TestClient | None = None,
    ) -> None:
        """Scan, be recognised, say yes."""
        login_id = self.recognise(page, account, claimant, browser, level)
        self.say_yes(page, login_id, claimant)

    def say_yes(self, page: str, login_id: LoginId, claimant: Claimant = PHONE) -> None:
        """Approve on the phone, and read the code that it may show."""
        self.codes[page] = self.handoff.approve(login_id, claimant).confirmation_code

    def proceed(self, page: str, browser: TestClient | None = None) -> Any:
        """Press the page's button, or type what the phone shows."""
        if code := self.codes.pop(page, None):
            return (browser or self.browser).post(f"{page}/code", data={"code": code})
        return (browser or self.browser).post(f"{page}/continue")

    def code_on(self, page: str, account: AccountId = ANNA, **by: Any) -> str:
        """Go from a consent page to a code."""
        self.approve(page, account, **by)
        return response_of(self.proceed(page))["code"]

    def code(self, account: AccountId = ANNA, /, **changes: Any) -> str:
        """Go all the way to a code, by a phone (``claimant``) at a ``level``."""
        by = {name: changes.pop(name) for name in ("claimant", "level") if name in changes}
        return self.code_on(self.open_page(**changes), account, **by)

    @property
    def credentials(self) -> dict[str, str | None]:
        """The fields that prove the client."""
        return {
            "client_id": self.shop.client.client_id,
            "client_secret": self.shop.secret or None,
        }

    def token_request(self, **changes: str | None) -> dict[str, str]:
        """Return the fields of a token request; None leaves a field out."""
        fields: dict[str, str | None] = {
            "grant_type": "authorization_code",
            **self.credentials,
            "redirect_uri": self.shop.client.redirect_uris[0],
            "code_verifier": VERIFIER if self.shop.client.require_pkce else None,
            **changes,
        }
        return {name: value for name, value in fields.items() if value is not None}

    def post_token(self, fields: Any, **options: Any) -> Any:
        """Send a token request."""
        return self.new_browser().post(
            f"{self.settings.base_url}/token", data=fields, **options
        )

    def redeem(self, code: str | None, *, headers: Any = None, **changes: Any) -> Any:
        """Exchange a code."""
        return self.post_token(self.token_request(code=code, **changes), headers=headers)

    def refresh(self, refresh_token: str | None, *, headers: Any = None, **changes: Any) -> Any:
        """Use a refresh token."""
        usual = {"grant_type": "refresh_token", "redirect_uri": None, "code_verifier": None}
        fields = self.token_request(**{**usual, "refresh_token": refresh_token, **changes})
        return self.post_token(fields, headers=headers)

    def tokens(self, account: AccountId = ANNA, /, **changes: Any) -> dict[str, Any]:
        """Go all the way to tokens."""
        answer = self.redeem(self.code(account, **changes))
        assert answer.status_code == 200, answer.text
        body: dict[str, Any] = answer.json()
        return body

    def call(
        self, path: str, fields: dict[str, str], headers: Iterable[tuple[str, str]] = ()
    ) -> Any:
        """Send a form to an endpoint of the API as the relying party."""
        own = self.basic().items() if self.shop.secret else ()
        named = {} if self.shop.secret else {"client_id": str(self.shop.client.client_id)}
        return self.new_browser().post(
            f"{self.settings.base_url}/{path}", data=named | fields, headers=[*own, *headers]
        )

    def disconnect(self, subject: str) -> None:
        """Withdraw a pseudonym, as a person does."""
        with self.database.write() as stores:
            assert pseudonym.disconnect(stores, PairwiseSubject(subject), self.clock())

    def userinfo(self, access_token: str) -> Any:
        """Request userinfo."""
        headers = {"Authorization": f"Bearer {access_token}"}
        return self.new_browser().get(f"{self.settings.base_url}/userinfo", headers=headers)

    def opened(self, token: str) -> Any:
        """Verify one of the provider's JWTs against its published keys."""
        jwks = self.new_browser().get(f"{self.settings.issuer}/.well-known/jwks.json").json()
        return jwt.decode(token, KeySet.import_key_set(jwks), ["RS256", "ES256"])

    def claims(self, tokens: dict[str, Any]) -> dict[str, Any]:
        """Return the claims of an ID token, its signature verified."""
        found: dict[str, Any] = self.opened(tokens["id_token"]).claims
        return found

    def subject(self, tokens: dict[str, Any]) -> str:
        """Return whom tokens are about."""
        return str(self.claims(tokens)["sub"])

    @property
    def metadata(self) -> dict[str, Any]:
        """The discovery document."""
        found: dict[str, Any] = (
            self.new_browser()
            .get(f"{self.settings.issuer}/.well-known/openid-configuration")
            .json()
        )
        return found

    def basic(self, registered: RegisteredClient | None = None) -> dict[str, str]:
        """Return an HTTP Basic header."""
        client = registered or self.shop
        pair = f"{client.client.client_id}:{client.secret}".encode()
        return {"Authorization": f"Basic {base64.b64encode(pair).decode()}"}


MakeSignIn = Callable[..., SignIn]
"""Builds a provider from changed settings."""


def half_hash(value: str) -> str:
    """Return the left half of a SHA-256, as ``at_hash`` wants it."""
    digest = hashlib.sha256(value.encode()).digest()
    return base64.urlsafe_b64encode(digest[:16]).rstrip(b"=").decode()


def new_provider(url: str, folder: Path, issuer: str = "https://id.example") -> SignIn:
    """Return a provider on an empty database."""
    key = folder / "protocol.key"
    settings = OidcSettings(issuer=issuer, database_url=url, key_encryption_key_file=key)
    migrate(settings, FakeClock())
    return SignIn(settings)


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"

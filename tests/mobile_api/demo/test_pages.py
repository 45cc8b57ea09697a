"""The bookshop's pages, clicked through with a small provider behind them."""

import pytest
from fastapi.testclient import TestClient
from joserfc.jwk import RSAKey

from mobile_api.demo.relying_party import (
    LOGOUT_EVENT,
    OpenIdConnect,
    Registration,
    build_relying_party,
)
from tests.support.servers.openid_provider import ISSUER, SmallProvider
from tests.support.service.html_page import Page, read_page

KEY = RSAKey.generate_key(2048, auto_kid=True)


@pytest.fixture
def provider() -> SmallProvider:
    """Give a provider that lets one person in."""
    return SmallProvider(key=KEY)


@pytest.fixture
def shop(provider: SmallProvider) -> TestClient:
    """Give a browser at the bookshop."""
    registration = Registration(ISSUER, "shop", "a-secret", "http://localhost:8081/callback")
    app = build_relying_party(OpenIdConnect(registration, provider.transport()))
    return TestClient(app, base_url="http://localhost:8081", follow_redirects=False)


def home(shop: TestClient) -> Page:
    """Return the front page."""
    answer = shop.get("/")
    return read_page(str(answer.url), answer.status_code, dict(answer.headers), answer.text)


def sign_in(shop: TestClient, provider: SmallProvider, *, link: str) -> Page:
    """Follow a link of the front page through a login."""
    question = shop.get(home(shop).address(link, "href"))
    shop.get("/callback", params=provider.authorize(question.headers["location"]))
    return home(shop)


def test_a_login_begins_where_the_callback_comes_back(shop, provider):
    """127.0.0.1 and localhost share no cookie: the callback would find no login."""
    question = shop.get("http://127.0.0.1:8081/login")

    assert question.headers["location"] == "http://localhost:8081/login"


def test_who_disconnects_the_shop_is_signed_out_of_it(shop, provider):
    """Back-Channel Logout 1.0 §2.6: by nothing but a logout token for this shop."""
    sign_in(shop, provider, link="sign-in")
    events: dict[str, object] = {LOGOUT_EVENT: {}}
    changes: list[dict[str, object]] = [
        {"events": {}},
        {"nonce": "n"},
        {"aud": ["another"]},
        {},
    ]
    for at, change in enumerate(changes, 1):
        token = provider.signed(**{"events": events} | change)
        answer = shop.post("/backchannel-logout", data={"logout_token": token})

        assert answer.status_code == (200 if at == len(changes) else 400)
        assert ("signed you out here" in home(shop).html) == (at == len(changes))


def test_another_browser_cannot_bring_the_callback(shop, provider):
    """Login CSRF: a callback is accepted only by the session that asked (RFC 6749 §10.12)."""
    question = shop.get("/login")
    callback = provider.authorize(question.headers["location"])
    victim = TestClient(shop.app, base_url="http://localhost:8081", follow_redirects=False)

    victim.get("/callback", params=callback)

    assert "did not start that login" in home(victim).element("message").text
    assert provider.forms == []

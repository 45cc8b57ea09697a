"""The demo's relying party checks what a good one must check."""

import asyncio
import base64
import hashlib
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from joserfc.jwk import RSAKey
from starlette.requests import Request

from mobile_api.demo.relying_party import REFUSED, OpenIdConnect, Registration, SignedIn
from tests.support.servers.openid_provider import ISSUER, SmallProvider

REGISTRATION = Registration(ISSUER, "shop", "a-secret", "http://localhost:8081/callback")
KEY = RSAKey.generate_key(2048, auto_kid=True)
OTHER_KEY = RSAKey.generate_key(2048, auto_kid=True)


def shop_of(provider: SmallProvider) -> OpenIdConnect:
    """Return a relying party that talks to a provider."""
    return OpenIdConnect(REGISTRATION, provider.transport())


def asked(session: dict[str, Any], query: Mapping[str, str]) -> Request:
    """Return a request of a browser."""
    text = urlencode(query).encode()
    return Request({"type": "http", "session": session, "query_string": text})


def begin(shop: OpenIdConnect, session: dict[str, Any], subject: str | None = None) -> str:
    """Start a login; return where the browser is sent."""
    sent = asyncio.run(shop.begin(asked(session, {}), subject))
    return sent.headers["location"]


def finish(
    shop: OpenIdConnect, session: dict[str, Any], callback: Mapping[str, str]
) -> SignedIn:
    """Finish a login."""
    return asyncio.run(shop.finish(asked(session, callback)))


def test_the_request_carries_state_nonce_and_challenge():
    """RFC 9700 §2.1: PKCE with S256, and the verifier goes only to the token endpoint."""
    provider = SmallProvider(key=KEY)
    shop = shop_of(provider)
    session: dict[str, Any] = {}
    url = begin(shop, session, subject="person-1")
    query = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}

    finish(shop, session, provider.authorize(url))

    challenge = hashlib.sha256(provider.forms[0]["code_verifier"].encode()).digest()
    assert query["code_challenge"] == base64.urlsafe_b64encode(challenge).rstrip(b"=").decode()
    assert query["code_challenge_method"] == "S256"
    assert query["user_id"] == "person-1"
    assert query["state"] != query["nonce"]


@pytest.mark.parametrize(
    "wrong",
    [
        SmallProvider(key=KEY, claims={"iss": "https://evil.test"}),
        SmallProvider(key=KEY, claims={"aud": ["another-shop"]}),
        SmallProvider(key=KEY, claims={"exp": 1}),
        SmallProvider(key=KEY, claims={"nonce": "another"}),
        SmallProvider(key=KEY, claims={"nonce": None}),
        SmallProvider(key=KEY, claims={"at_hash": "another"}),
        SmallProvider(key=KEY, claims={"sub": None}),
        SmallProvider(key=KEY, header={"alg": "PS256"}),
        SmallProvider(key=KEY, published=OTHER_KEY),
        SmallProvider(key=KEY, userinfo={"sub": "person-2"}),
        SmallProvider(key=KEY, issuer="https://evil.test"),
        SmallProvider(key=KEY, token_error={"error": "invalid_grant"}),
    ],
    ids=[
        "issuer", "audience", "expired", "nonce", "no nonce", "at_hash", "no subject",
        "algorithm", "signature", "userinfo", "discovery",
        "token error",
    ],
)  # fmt: skip
def test_one_wrong_thing_is_enough(wrong):
    """OpenID Connect Core §3.1.3.7: with one thing changed no person is signed in."""
    shop = shop_of(wrong)

    session: dict[str, Any] = {}
    with pytest.raises(REFUSED):
        finish(shop, session, wrong.authorize(begin(shop, session)))


@pytest.mark.parametrize(
    "change", [{"state": "another"}, {"iss": "https://evil.test"}, {"code": None}]
)
def test_a_callback_to_another_question_is_refused(change):
    """A callback that this browser did not ask for spends no code."""
    provider = SmallProvider(key=KEY)
    shop = shop_of(provider)
    session: dict[str, Any] = {}
    callback = provider.authorize(begin(shop, session)) | change

    with pytest.raises(REFUSED):
        finish(shop, session, {k: v for k, v in callback.items() if v is not None})

    assert provider.forms == []


def test_another_person_than_requested_is_refused():
    """“Verify this user again” must not sign in another person."""
    provider = SmallProvider(key=KEY)
    shop = shop_of(provider)
    session: dict[str, Any] = {}
    url = begin(shop, session, subject="person-9")

    with pytest.raises(REFUSED, match="a different person"):
        finish(shop, session, provider.authorize(url))

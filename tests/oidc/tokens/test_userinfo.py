"""The userinfo endpoint: a subject for a living token, and the errors of RFC 6750."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from oidc.keys.encryption import load_cipher
from oidc.keys.keyring import KeyRing
from oidc.types import Lifetimes
from tests.support.clock import FakeClock
from tests.support.service.sign_in import SignIn


def test_it_says_the_subject_and_nothing_else(sign_in: SignIn) -> None:
    """Specification §2: ``sub``, the same as in the ID token."""
    body = sign_in.tokens()

    answer = sign_in.userinfo(body["access_token"])

    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.json() == {"sub": sign_in.opened(body["id_token"]).claims["sub"]}


@pytest.mark.parametrize("path", ["/userinfo", "/oauth/userinfo"])
def test_it_answers_get_post_and_the_form_at_both_addresses(sign_in: SignIn, path: str) -> None:
    """OpenID Connect Core §5.3.1; some libraries post the token in the body."""
    token = sign_in.tokens()["access_token"]
    header = {"Authorization": f"bearer  {token}"}

    answers = [
        sign_in.browser.get(path, headers=header),
        sign_in.browser.post(path, headers=header),
        sign_in.browser.post(path, headers=header, data={"other": "x"}),
        sign_in.browser.post(path, data={"access_token": token}),
    ]

    assert [answer.status_code for answer in answers] == [200] * 4


def test_a_request_without_a_token_is_asked_for_one(sign_in: SignIn) -> None:
    """RFC 6750 §3.1: no error code when no token was sent."""
    answer = sign_in.browser.get("/userinfo")

    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == (
        'Bearer realm="userinfo", DPoP realm="userinfo", algs="ES256 PS256"'
    )


def test_a_token_in_the_address_is_not_read(sign_in: SignIn) -> None:
    """Addresses end up in logs. RFC 6750 §5.3."""
    token = sign_in.tokens()["access_token"]

    assert sign_in.browser.get("/userinfo", params={"access_token": token}).status_code == 401


@pytest.mark.parametrize(
    "options",
    [
        {"headers": {"Authorization": "Bearer a"}, "data": {"access_token": "a"}},
        {"data": {"access_token": ["a", "a"]}},
        {
            "content": b"access_token=%ff",
            "headers": {"Content-Type": "application/x-www-form-urlencoded"},
        },
        {
            "content": b"x=" + b"x" * 20_000,
            "headers": {"Content-Type": "application/x-www-form-urlencoded"},
        },
    ],
)
def test_a_token_sent_twice_or_unreadably_is_an_invalid_request(
    sign_in: SignIn, options: dict[str, Any]
) -> None:
    """RFC 6750 §2: one method in each request."""
    answer = sign_in.browser.post("/userinfo", **options)

    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_request")
    assert 'error="invalid_request"' in answer.headers["www-authenticate"]


@pytest.mark.parametrize("token", ["x", "a.b.c", "Bearer", "a, Bearer b"])
def test_garbage_is_an_invalid_token(sign_in: SignIn, token: str) -> None:
    """RFC 6750 §3.1."""
    answer = sign_in.userinfo(token)

    assert (answer.status_code, answer.json()["error"]) == (401, "invalid_token")
    assert 'error="invalid_token"' in answer.headers["www-authenticate"]


def test_an_id_token_is_no_access_token(sign_in: SignIn) -> None:
    """Another type of JWT. RFC 9068 §4, RFC 8725 §3.11."""
    assert sign_in.userinfo(sign_in.tokens()["id_token"]).status_code == 401


def test_a_token_dies_after_its_hour(sign_in: SignIn, clock: FakeClock) -> None:
    """Specification §8."""
    token = sign_in.tokens()["access_token"]

    clock.advance(Lifetimes().access_token_s - 1)
    before = sign_in.userinfo(token).status_code
    clock.advance(1)

    assert (before, sign_in.userinfo(token).status_code) == (200, 401)


def test_a_token_from_the_future_is_not_valid_yet(sign_in: SignIn, clock: FakeClock) -> None:
    """``nbf`` is heard. RFC 7519 §4.1.5."""
    token = sign_in.tokens()["access_token"]
    clock.advance(-10)

    assert sign_in.userinfo(token).status_code == 401


def test_a_token_for_another_resource_is_refused(
    sign_in: SignIn, make_sign_in: Callable[..., SignIn]
) -> None:
    """Same keys, another ``aud``: RFC 9068 §4."""
    other = make_sign_in(base_url="https://id.example/other")

    assert other.userinfo(sign_in.tokens()["access_token"]).status_code == 401


@pytest.mark.parametrize(
    "claims", [{}, {"grant_id": "f" * 32}, {"grant_id": "\x00"}, {"grant_id": 7}]
)
def test_a_signed_token_without_a_living_grant_is_refused(
    sign_in: SignIn, claims: dict[str, object]
) -> None:
    """The signature alone is not enough for our own endpoint."""
    now = int(sign_in.clock().timestamp())
    token = _sign(
        sign_in,
        {
            "iss": "https://id.example",
            "aud": "https://id.example",
            "scope": "openid",
            "nbf": now,
            "exp": now + 60,
            **claims,
        },
    )

    assert sign_in.userinfo(token).status_code == 401


def test_a_removed_client_has_no_living_tokens(sign_in: SignIn) -> None:
    """Its grants went with it."""
    token = sign_in.tokens()["access_token"]
    with sign_in.database.write() as stores:
        stores.clients.remove(sign_in.shop.client.client_id)

    assert sign_in.userinfo(token).status_code == 401


def _sign(sign_in: SignIn, claims: dict[str, object]) -> str:
    cipher = load_cipher(None, sign_in.settings.key_encryption_key_file)
    return KeyRing(sign_in.database, cipher, sign_in.clock).sign(claims, typ="at+jwt")

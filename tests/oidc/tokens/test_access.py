"""The userinfo endpoint refuses what is no living access token: RFC 6750, RFC 9068 §4."""

from typing import Any

import pytest

from oidc.keys import SigningKeys, load_cipher
from tests.support.service.sign_in import MakeSignIn, SignIn, error_of

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def test_a_request_without_a_token_is_answered_with_a_challenge(sign_in: SignIn) -> None:
    """RFC 6750 §3.1: no error code when no token was sent; §5.3: an address is not read."""
    token = sign_in.tokens()["access_token"]

    for params in ({}, {"access_token": token}):
        answer = sign_in.browser.get("/userinfo", params=params)
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == (
            'Bearer realm="userinfo", DPoP realm="userinfo", algs="ES256 PS256"'
        )


@pytest.mark.parametrize(
    "options",
    [
        {"headers": {"Authorization": "Bearer a"}, "data": {"access_token": "a"}},
        {"data": {"access_token": ["a", "a"]}},
        {"content": b"access_token=%ff", "headers": FORM},
        {"content": b"x=" + b"x" * 20_000, "headers": FORM},
    ],
)
def test_a_token_sent_twice_or_unreadably_is_an_invalid_request(
    sign_in: SignIn, options: dict[str, Any]
) -> None:
    """RFC 6750 §2: one method in each request."""
    answer = sign_in.browser.post("/userinfo", **options)

    assert error_of(answer) == (400, "invalid_request")
    assert 'error="invalid_request"' in answer.headers["www-authenticate"]


@pytest.mark.parametrize(
    "token",
    ["x", "a.b.c", "...", "e30.e30.e30", "W10.W10.W10", "Bearer", "a, Bearer b", "{id_token}"],
)
def test_what_is_no_access_token_is_invalid(sign_in: SignIn, token: str) -> None:
    """RFC 6750 §3.1; an ID token is another type of JWT. RFC 8725 §3.11."""
    answer = sign_in.userinfo(token.format(**sign_in.tokens()))

    assert error_of(answer) == (401, "invalid_token")
    assert 'error="invalid_token"' in answer.headers["www-authenticate"]


def test_a_token_for_another_resource_is_refused(
    sign_in: SignIn, make_sign_in: MakeSignIn
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
    ours = {"iss": "https://id.example", "aud": "https://id.example", "scope": "openid"}
    cipher = load_cipher(sign_in.settings.key_source)
    keys = SigningKeys(sign_in.database, cipher, sign_in.clock)

    token = keys.sign({**ours, "nbf": now, "exp": now + 60, **claims}, typ="at+jwt")

    assert sign_in.userinfo(token).status_code == 401

"""Discovery tells the truth: each line is compared with what the endpoints do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest

from oidc.web.endpoints.discovery import oauth_metadata_path
from tests.support.service.sign_in import CHALLENGE, VERIFIER, SignIn, query_of

REQUIRED = {
    "issuer",
    "authorization_endpoint",
    "token_endpoint",
    "userinfo_endpoint",
    "jwks_uri",
    "response_types_supported",
    "subject_types_supported",
    "id_token_signing_alg_values_supported",
    "scopes_supported",
    "claims_supported",
}
"""REQUIRED and RECOMMENDED in OpenID Connect Discovery §3, what we have of it."""


@pytest.fixture
def document(sign_in: SignIn) -> dict[str, Any]:
    """Give the discovery document."""
    body: dict[str, Any] = sign_in.browser.get("/.well-known/openid-configuration").json()
    return body


def test_the_document_names_the_issuer_and_everything_required(
    document: dict[str, Any],
) -> None:
    """Exactly the issuer of the tokens, or every library refuses. Discovery §4.3."""
    assert document["issuer"] == "https://id.example"
    assert set(document) >= REQUIRED


def test_every_address_answers(sign_in: SignIn, document: dict[str, Any]) -> None:
    """No address is only a promise."""
    expected = {
        "authorization_endpoint": 400,
        "token_endpoint": 405,
        "userinfo_endpoint": 401,
        "jwks_uri": 200,
    }

    assert {
        name: sign_in.browser.get(document[name]).status_code for name in expected
    } == expected


def test_the_promised_lists_are_what_works(sign_in: SignIn, document: dict[str, Any]) -> None:
    """A login with every optional part that is promised."""
    code = sign_in.code(
        response_type=document["response_types_supported"][0],
        response_mode=document["response_modes_supported"][0],
        scope=" ".join(document["scopes_supported"]),
        code_challenge=CHALLENGE,
        code_challenge_method=document["code_challenge_methods_supported"][0],
        nonce="n",
    )
    body = sign_in.redeem(code, code_verifier=VERIFIER).json()
    token = sign_in.opened(body["id_token"])

    assert token.header["alg"] == document["id_token_signing_alg_values_supported"][0]
    assert set(token.claims) == set(document["claims_supported"])
    assert token.claims["acr"] == document["acr_values_supported"][1]
    assert document["grant_types_supported"] == ["authorization_code", "refresh_token"]
    assert sign_in.refresh(body["refresh_token"]).status_code == 200


def test_two_clients_see_two_subjects(sign_in: SignIn, document: dict[str, Any]) -> None:
    """``subject_types_supported: pairwise``."""
    other = sign_in.register("Other", "https://other.example/cb")
    page = sign_in.authorize(sign_in.request(other)).headers["location"]
    sign_in.approve(page)
    code = query_of(sign_in.proceed(page).headers["location"])["code"]
    body = sign_in.redeem(
        code,
        client_id=other.client.client_id,
        client_secret=other.secret,
        redirect_uri="https://other.example/cb",
    ).json()

    assert document["subject_types_supported"] == ["pairwise"]
    assert (
        sign_in.opened(body["id_token"]).claims["sub"]
        != sign_in.opened(sign_in.tokens()["id_token"]).claims["sub"]
    )


@pytest.mark.parametrize(
    ("promise", "parameter", "error"),
    [
        ("request_parameter_supported", "request", "request_not_supported"),
        ("request_uri_parameter_supported", "request_uri", "request_uri_not_supported"),
    ],
)
def test_what_is_denied_is_refused(
    sign_in: SignIn, document: dict[str, Any], promise: str, parameter: str, error: str
) -> None:
    """The default of request_uri_parameter_supported is true: it must be denied in words."""
    answer = sign_in.authorize(sign_in.request(**{parameter: "x"}))

    assert document[promise] is False
    assert query_of(answer.headers["location"])["error"] == error


def test_iss_is_promised_and_sent(sign_in: SignIn, document: dict[str, Any]) -> None:
    """RFC 9207: on success and on error."""
    page = sign_in.open_page()
    sign_in.approve(page)
    fine = query_of(sign_in.proceed(page).headers["location"])
    wrong = query_of(sign_in.authorize(sign_in.request(prompt="none")).headers["location"])

    assert document["authorization_response_iss_parameter_supported"] is True
    assert fine["iss"] == wrong["iss"] == document["issuer"]


@pytest.mark.parametrize(
    ("issuer", "path"),
    [
        ("https://id.example", "/.well-known/oauth-authorization-server"),
        ("https://id.example/a/b", "/.well-known/oauth-authorization-server/a/b"),
    ],
)
def test_rfc_8414_puts_the_well_known_part_first(issuer: str, path: str) -> None:
    """RFC 8414 §3.1, unlike OpenID Connect Discovery."""
    assert oauth_metadata_path(issuer) == path


@pytest.mark.parametrize("issuer", ["https://id.example", "https://id.example/oauth2"])
def test_both_documents_are_one(make_sign_in: Callable[..., SignIn], issuer: str) -> None:
    """OAuth and OpenID libraries find the same truth, whatever Host header they send."""
    sign_in = make_sign_in(issuer=issuer)
    oidc = sign_in.browser.get(f"{issuer}/.well-known/openid-configuration")
    oauth = sign_in.browser.get(f"https://id.example{oauth_metadata_path(issuer)}")
    lured = sign_in.browser.get(
        f"{urlsplit(issuer).path}/.well-known/openid-configuration",
        headers={"Host": "evil.example", "X-Forwarded-Host": "evil.example"},
    )

    assert oidc.headers["content-type"] == "application/json"
    assert oidc.json() == oauth.json() == lured.json()
    assert oidc.json()["issuer"] == issuer
    assert "evil" not in lured.text
    assert oidc.headers["access-control-allow-origin"] == "*"

"""Discovery tells the truth: each line is compared with what the endpoints do."""

from typing import Any
from urllib.parse import urlsplit

import pytest

from oidc.web.endpoints.discovery import oauth_metadata_path
from tests.support.service.sign_in import CHALLENGE, VERIFIER, MakeSignIn, SignIn


@pytest.fixture
def document(sign_in: SignIn) -> dict[str, Any]:
    """Give the discovery document."""
    return sign_in.metadata


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
    assert token.claims["acr"] == document["acr_values_supported"][0]
    assert document["grant_types_supported"] == ["authorization_code", "refresh_token"]
    assert sign_in.refresh(body["refresh_token"]).status_code == 200


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
def test_both_documents_are_one(make_sign_in: MakeSignIn, issuer: str) -> None:
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

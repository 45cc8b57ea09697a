"""Discovery tells the truth: each line is compared with what the endpoints do."""

from typing import Any

import pytest

from tests.support.service.sign_in import CHALLENGE, VERIFIER, MakeSignIn, SignIn

PRIVATE = {"d", "p", "q", "dp", "dq", "qi", "oth", "k"}
"""Members of private keys. RFC 7518 §6."""


@pytest.fixture
def document(sign_in: SignIn) -> dict[str, Any]:
    """Give the discovery document."""
    return sign_in.metadata


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


@pytest.mark.parametrize("path", ["", "/a/b"])
def test_both_documents_are_one(make_sign_in: MakeSignIn, path: str) -> None:
    """OAuth and OpenID libraries find the same truth. RFC 8414 §3.1: its path comes last."""
    issuer = f"https://id.example{path}"
    sign_in = make_sign_in(issuer=issuer)
    oidc = sign_in.browser.get(f"{issuer}/.well-known/openid-configuration")
    oauth = f"https://id.example/.well-known/oauth-authorization-server{path}"

    assert oidc.headers["content-type"] == "application/json"
    assert oidc.json() == sign_in.browser.get(oauth).json()
    assert oidc.json()["issuer"] == issuer
    assert oidc.headers["access-control-allow-origin"] == "*"


def test_the_document_is_complete_and_promises_nothing_unsafe(
    sign_in: SignIn, document: dict[str, Any]
) -> None:
    """OpenID Connect Discovery §3; what is true by default is denied in words."""
    said: dict[str, object] = {
        "issuer": sign_in.settings.issuer,
        "response_types_supported": ["code"],
        "subject_types_supported": ["pairwise"],
        "authorization_response_iss_parameter_supported": True,
        "request_parameter_supported": False,
        "request_uri_parameter_supported": False,
        "require_pushed_authorization_requests": False,
        "code_challenge_methods_supported": ["S256"],
        "dpop_signing_alg_values_supported": ["ES256", "PS256"],
        "backchannel_logout_supported": True,
        "backchannel_logout_session_supported": True,
    }
    ends = {
        "authorization": "oauth/authorize",
        "token": "token",
        "userinfo": "userinfo",
        "revocation": "revoke",
        "introspection": "introspect",
        "pushed_authorization_request": "par",
        "end_session": "oauth/logout",
        "registration": "register",
    }
    said |= {f"{name}_endpoint": f"https://id.example/{end}" for name, end in ends.items()}

    assert said == {name: document[name] for name in said}
    assert "RS256" in document["id_token_signing_alg_values_supported"]
    assert "none" not in document["introspection_endpoint_auth_methods_supported"]


def test_published_keys_are_public_and_distinct(sign_in: SignIn) -> None:
    """No private member, each key with another name."""
    keys = sign_in.browser.get("/.well-known/jwks.json").json()["keys"]

    assert not any(PRIVATE & key.keys() for key in keys)
    assert len({key["kid"] for key in keys}) == len(keys) > 0
    assert {key["use"] for key in keys} == {"sig"}

"""Discovery tells the truth: each line is compared with what the endpoints do."""

import re
from typing import Any
from urllib.parse import urlsplit

import pytest

from oidc.web.endpoints.discovery import oauth_metadata_path
from tests.support.service.sign_in import CHALLENGE, VERIFIER, MakeSignIn, SignIn

REGISTERED = {
    "acr_values_supported", "authorization_endpoint",
    "authorization_response_iss_parameter_supported",
    "backchannel_logout_session_supported", "backchannel_logout_supported",
    "claim_types_supported", "claims_locales_supported", "claims_parameter_supported",
    "claims_supported", "code_challenge_methods_supported", "display_values_supported",
    "dpop_signing_alg_values_supported", "end_session_endpoint", "grant_types_supported",
    "id_token_signing_alg_values_supported", "introspection_endpoint",
    "introspection_endpoint_auth_methods_supported",
    "introspection_endpoint_auth_signing_alg_values_supported", "issuer", "jwks_uri",
    "op_policy_uri", "op_tos_uri", "prompt_values_supported",
    "pushed_authorization_request_endpoint", "registration_endpoint",
    "request_object_signing_alg_values_supported", "request_parameter_supported",
    "request_uri_parameter_supported", "require_pushed_authorization_requests",
    "require_request_uri_registration", "require_signed_request_object",
    "response_modes_supported", "response_types_supported", "revocation_endpoint",
    "revocation_endpoint_auth_methods_supported",
    "revocation_endpoint_auth_signing_alg_values_supported", "scopes_supported",
    "service_documentation", "subject_types_supported", "token_endpoint",
    "token_endpoint_auth_methods_supported",
    "token_endpoint_auth_signing_alg_values_supported", "ui_locales_supported",
    "userinfo_endpoint", "userinfo_signing_alg_values_supported",
}  # fmt: skip
"""Members of the IANA registry of authorization server metadata that a provider may use."""

LOCALE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")
"""BCP 47, what of it a web page needs."""

PRIVATE = {"d", "p", "q", "dp", "dq", "qi", "oth", "k"}
"""Members of private keys. RFC 7518 §6."""


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


def test_the_document_is_complete_and_promises_nothing_unsafe(
    sign_in: SignIn, document: dict[str, Any]
) -> None:
    """OpenID Connect Discovery §3; what is true by default is denied in words."""
    said = {
        "issuer": sign_in.settings.issuer,
        "response_types_supported": ["code"],
        "subject_types_supported": ["pairwise"],
        "scopes_supported": ["openid", "offline_access"],
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
    addresses = {f"{name}_endpoint": f"https://id.example/{end}" for name, end in ends.items()}
    methods = document["token_endpoint_auth_methods_supported"]
    proving = [each for each in methods if each != "none"]

    assert said | addresses == {name: document[name] for name in said | addresses}
    assert document.keys() <= REGISTERED
    assert "RS256" in document["id_token_signing_alg_values_supported"]
    assert all(LOCALE.fullmatch(locale) for locale in document["ui_locales_supported"])
    assert document["revocation_endpoint_auth_methods_supported"] == methods
    assert document["introspection_endpoint_auth_methods_supported"] == proving


def test_members_of_the_metadata_are_well_typed(document: dict[str, Any]) -> None:
    """Lists are lists of different texts, switches are switches, addresses are texts."""
    for name, value in document.items():
        match value:
            case list():
                assert name.endswith("_supported")
                assert all(isinstance(item, str) for item in value)
                assert len(set(value)) == len(value) > 0
            case bool():
                assert name.endswith("_supported") or name.startswith("require_")
            case _:
                assert isinstance(value, str)


def test_published_keys_are_public_and_distinct(sign_in: SignIn) -> None:
    """No private member, each key with another name."""
    keys = sign_in.browser.get("/.well-known/jwks.json").json()["keys"]

    assert not any(PRIVATE & key.keys() for key in keys)
    assert len({key["kid"] for key in keys}) == len(keys) > 0
    assert {key["use"] for key in keys} == {"sig"}

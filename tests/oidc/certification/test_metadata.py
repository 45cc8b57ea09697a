"""The OpenID Foundation's demands: Config OP, and what all its plans demand of the keys."""

import re
from typing import Any

from tests.support.service.conformance_suite import endpoints
from tests.support.service.sign_in import SignIn

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


def found(sign_in: SignIn, path: str) -> dict[str, Any]:
    """Return a public JSON document."""
    answer = sign_in.browser.get(f"{sign_in.settings.issuer}{path}")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("application/json")
    body: dict[str, Any] = answer.json()
    return body


def test_oidcc_discovery_endpoint_verification(sign_in: SignIn) -> None:
    """Config OP: the document is complete, well typed, and promises nothing unsafe."""
    metadata = found(sign_in, "/.well-known/openid-configuration")

    assert metadata["issuer"] == sign_in.settings.issuer
    assert metadata.keys() <= REGISTERED
    assert metadata["response_types_supported"] == ["code"]
    assert metadata["subject_types_supported"] == ["pairwise"]
    assert metadata["authorization_response_iss_parameter_supported"] is True
    # The default of request_uri_parameter_supported is true: it must be denied in words.
    assert metadata["request_parameter_supported"] is False
    assert metadata["request_uri_parameter_supported"] is False
    assert "RS256" in metadata["id_token_signing_alg_values_supported"]
    assert {"sub", "iss", "aud"} <= set(metadata["claims_supported"])
    assert metadata["grant_types_supported"]
    assert "openid" in metadata["scopes_supported"]
    assert metadata["code_challenge_methods_supported"] == ["S256"]
    assert all(LOCALE.fullmatch(locale) for locale in metadata["ui_locales_supported"])
    addresses = {f"{name}_endpoint" for name in ("authorization", "token", "userinfo")}
    assert {*addresses, "jwks_uri"} <= endpoints(metadata).keys()
    assert all(address.startswith("https://") for address in endpoints(metadata).values())


def test_members_of_the_metadata_are_well_typed(sign_in: SignIn) -> None:
    """Lists are lists of different texts, switches are switches, addresses are texts."""
    for name, value in found(sign_in, "/.well-known/openid-configuration").items():
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
    """Config OP and all others: no private member, each key with another name."""
    keys = found(sign_in, "/.well-known/jwks.json")["keys"]

    assert not any(PRIVATE & key.keys() for key in keys)
    assert len({key["kid"] for key in keys}) == len(keys) > 0
    assert {key["use"] for key in keys} == {"sig"}

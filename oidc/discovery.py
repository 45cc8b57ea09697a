"""What the provider says about itself: OpenID Connect Discovery 1.0 §3 and RFC 8414.

Tells the truth and nothing else: a test compares each line with what the endpoints do.
Addresses come from settings, never from a request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from oidc.client_keys import ALGORITHMS
from oidc.clients import ID_TOKEN_ALGORITHMS, SCOPES

if TYPE_CHECKING:
    from oidc.settings import OidcSettings


AUTHENTICATION_METHODS: Final = [
    "client_secret_basic",
    "client_secret_post",
    "private_key_jwt",
    "none",
]
"""RFC 7591 §2, OpenID Connect Core §9."""


def metadata(settings: OidcSettings) -> dict[str, object]:
    """Return the provider metadata."""
    return {
        "issuer": settings.issuer,
        "authorization_endpoint": f"{settings.auth_url}/oauth/authorize",
        "token_endpoint": f"{settings.base_url}/token",
        "userinfo_endpoint": f"{settings.base_url}/userinfo",
        "jwks_uri": f"{settings.issuer}/.well-known/jwks.json",
        "scopes_supported": list(SCOPES),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query", "form_post"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "subject_types_supported": ["pairwise"],
        "id_token_signing_alg_values_supported": list(ID_TOKEN_ALGORITHMS),
        "token_endpoint_auth_methods_supported": AUTHENTICATION_METHODS,
        "token_endpoint_auth_signing_alg_values_supported": list(ALGORITHMS),
        "pushed_authorization_request_endpoint": f"{settings.base_url}/par",
        "require_pushed_authorization_requests": False,
        "revocation_endpoint": f"{settings.base_url}/revoke",
        "revocation_endpoint_auth_methods_supported": AUTHENTICATION_METHODS,
        "revocation_endpoint_auth_signing_alg_values_supported": list(ALGORITHMS),
        "introspection_endpoint": f"{settings.base_url}/introspect",
        "introspection_endpoint_auth_methods_supported": AUTHENTICATION_METHODS[:-1],
        "introspection_endpoint_auth_signing_alg_values_supported": list(ALGORITHMS),
        "code_challenge_methods_supported": ["S256"],
        "claim_types_supported": ["normal"],
        "claims_supported": [
            "iss", "sub", "aud", "exp", "iat", "nbf", "jti", "auth_time", "nonce", "at_hash",
            "amr", "external_user_id",
        ],
        "claims_parameter_supported": False,
        "request_parameter_supported": False,
        "request_uri_parameter_supported": False,
        "require_request_uri_registration": False,
        "authorization_response_iss_parameter_supported": True,
        "ui_locales_supported": ["en"],
    }  # fmt: skip


def oauth_metadata_path(issuer: str) -> str:
    """Return where RFC 8414 §3.1 looks: the well-known part comes before the issuer's path."""
    return f"/.well-known/oauth-authorization-server{urlsplit(issuer).path}"

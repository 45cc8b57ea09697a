"""Provider metadata and JWKS, readable from any origin: OpenID Connect Discovery, RFC 8414.

A test compares each value with the endpoints. Addresses come from settings, never from a
request.
"""

from typing import Final
from urllib.parse import urlsplit

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from oidc.authorization.interaction import PROMPTS
from oidc.client import ASSERTION_ALGORITHMS, FAPI_ALGORITHMS, Profile
from oidc.clients.options import ID_TOKEN_ALGORITHMS
from oidc.clients.rules import SCOPES
from oidc.plumbing import dpop
from oidc.protocol import LEVELS, acr_of, played
from oidc.settings import OidcSettings
from oidc.types import Level
from oidc.web.language import TAGS
from oidc.web.services import Services

_HEADERS = {
    "Access-Control-Allow-Origin": "*",
    "Cache-Control": "public, max-age=300",
    "X-Content-Type-Options": "nosniff",
}

_PREFLIGHT = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "GET, HEAD",
    "Access-Control-Allow-Headers": "*",
    "Access-Control-Max-Age": "86400",
}

AUTHENTICATION_METHODS: Final = [
    "client_secret_basic",
    "client_secret_post",
    "private_key_jwt",
    "none",
]
"""RFC 7591 §2, OpenID Connect Core §9."""


def metadata(settings: OidcSettings) -> dict[str, object]:
    """Return the provider metadata."""
    is_fapi = settings.profile is Profile.FAPI2
    methods = ["private_key_jwt"] if is_fapi else AUTHENTICATION_METHODS
    algorithms = list(FAPI_ALGORITHMS if is_fapi else ASSERTION_ALGORITHMS)
    is_allowed = settings.allows_palm_alone
    real = [each for each in LEVELS if is_allowed or each is not Level.PALM]
    levels = [*real, *played(LEVELS)]
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
        "id_token_signing_alg_values_supported": (
            ["ES256"] if is_fapi else list(ID_TOKEN_ALGORITHMS)
        ),
        "token_endpoint_auth_methods_supported": methods,
        "token_endpoint_auth_signing_alg_values_supported": algorithms,
        "registration_endpoint": f"{settings.base_url}/register",
        "pushed_authorization_request_endpoint": f"{settings.base_url}/par",
        "require_pushed_authorization_requests": is_fapi,
        "revocation_endpoint": f"{settings.base_url}/revoke",
        "revocation_endpoint_auth_methods_supported": methods,
        "revocation_endpoint_auth_signing_alg_values_supported": algorithms,
        "introspection_endpoint": f"{settings.base_url}/introspect",
        "introspection_endpoint_auth_methods_supported": [
            method for method in methods if method != "none"
        ],
        "introspection_endpoint_auth_signing_alg_values_supported": algorithms,
        "code_challenge_methods_supported": ["S256"],
        "dpop_signing_alg_values_supported": list(dpop.ALGORITHMS),
        "claim_types_supported": ["normal"],
        "claims_supported": [
            "iss", "sub", "aud", "exp", "iat", "nbf", "jti", "auth_time", "nonce", "at_hash",
            "acr", "amr", "sid", "external_user_id",
        ],
        "acr_values_supported": [acr_of(settings.issuer, each) for each in levels],
        "prompt_values_supported": list(PROMPTS),
        "end_session_endpoint": f"{settings.auth_url}/oauth/logout",
        "backchannel_logout_supported": True,
        "backchannel_logout_session_supported": True,
        "claims_parameter_supported": True,
        "request_parameter_supported": False,
        "request_uri_parameter_supported": False,
        "require_request_uri_registration": False,
        "authorization_response_iss_parameter_supported": True,
        "ui_locales_supported": list(TAGS),
    }  # fmt: skip


def oauth_metadata_path(issuer: str) -> str:
    """Return the RFC 8414 §3.1 path: the well-known part precedes the issuer's path."""
    return f"/.well-known/oauth-authorization-server{urlsplit(issuer).path}"


def metadata_router(services: Services) -> APIRouter:
    """Return the routes of OpenID Connect Discovery §4, RFC 8414 §3 and the JWKS."""
    router = APIRouter()
    issuer_path = services.paths.issuer_path
    document = metadata(services.settings)
    reading = ["GET", "HEAD"]

    def describe() -> Response:
        return JSONResponse(document, headers=_HEADERS)

    def jwks() -> Response:
        return JSONResponse(services.keys.jwks(), headers=_HEADERS)

    def preflight() -> Response:
        return Response(status_code=204, headers=_PREFLIGHT)

    well_known = f"{issuer_path}/.well-known"
    served = {
        f"{well_known}/openid-configuration": describe,
        oauth_metadata_path(services.settings.issuer): describe,
        f"{well_known}/jwks.json": jwks,
    }
    for path, answer in served.items():
        router.add_api_route(path, answer, methods=reading)
        router.add_api_route(path, preflight, methods=["OPTIONS"])
    return router

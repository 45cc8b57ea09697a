"""Discovery and JWKS. Public, hence readable from any origin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from oidc.web.endpoints.discovery import metadata, oauth_metadata_path

if TYPE_CHECKING:
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

"""Answers where nothing else can.

``WWW-Authenticate`` responses to refused access tokens: RFC 6750 §3, RFC 9449 §7.1.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final, cast

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Match

from oidc.errors import (
    BearerFault,
    BearerRequestInvalid,
    NonceNeeded,
    ProofRefused,
    ScopeInsufficient,
    TokenInvalid,
    TokenMissing,
)
from oidc.plumbing.dpop import ALGORITHMS
from oidc.tokens.access import Scheme
from oidc.web.services import Services

RETRY_AFTER_S: Final = 5
"""Seconds until clients should retry. RFC 9110 §10.2.3."""

DESCRIPTION: Final = "the service is temporarily unavailable: try again"

_AWAY: Final = "error_away"
_NO_PAGE: Final = "error_no_page"
"""Keys in the catalogues."""

_METHODS: Final = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS")


def unavailable(headers: Mapping[str, str]) -> Response:
    """Return the JSON response. The error is named as in RFC 6749 §4.1.2.1."""
    body = {"error": "temporarily_unavailable", "error_description": DESCRIPTION}
    return JSONResponse(body, 503, headers={**headers, "Retry-After": str(RETRY_AFTER_S)})


def unavailable_handler(services: Services) -> Callable[[Request, Exception], Response]:
    """Return the exception handler: a page for browsers, JSON for programs."""

    def answer(request: Request, _fault: Exception) -> Response:
        if not _wants_page(request):
            return unavailable({"Cache-Control": "no-store"})
        page = services.pages.error(request, _AWAY, status=503)
        page.headers["Retry-After"] = str(RETRY_AFTER_S)
        return page

    return answer


def not_served_handler(services: Services) -> Callable[[Request, Exception], Response]:
    """Return the handler of unknown paths and methods: a page for browsers, else JSON."""

    def answer(request: Request, fault: Exception) -> Response:
        fault = cast("HTTPException", fault)
        status = fault.status_code
        if _wants_page(request):
            response: Response = services.pages.error(request, _NO_PAGE, status=status)
        else:
            response = JSONResponse({"detail": fault.detail}, status)
        if status == 405:  # the framework names the methods of one route only
            response.headers["Allow"] = ", ".join(_served_methods(request))
        return response

    return answer


def _served_methods(request: Request) -> Iterator[str]:
    for method in _METHODS:
        scope = {**request.scope, "method": method}
        if any(route.matches(scope)[0] is Match.FULL for route in request.app.routes):
            yield method


def _wants_page(request: Request) -> bool:
    return "text/html" in request.headers.get("accept", "")


_REALM: Final = "userinfo"

_STATUS: Final = {
    BearerRequestInvalid: 400,
    TokenInvalid: 401,
    ProofRefused: 401,
    NonceNeeded: 401,
    ScopeInsufficient: 403,
}
"""RFC 6750 §3.1, RFC 9449 §7.1."""


def refused_token(
    fault: BearerFault | ProofRefused, scheme: Scheme, headers: Mapping[str, str]
) -> Response:
    """Return the response to a refused access token.

    Args:
        fault: the reason.
        scheme: how the token was sent.
        headers: to add.
    """
    if isinstance(fault, TokenMissing):
        # Without a token no error code is sent: RFC 6750 §3.1.
        challenge = f"{_challenge(Scheme.BEARER)}, {_challenge(Scheme.DPOP)}"
        return Response(status_code=401, headers={**headers, "WWW-Authenticate": challenge})
    parts = {"error": fault.code, "error_description": str(fault)}
    if isinstance(fault, ScopeInsufficient):
        parts["scope"] = "openid"
    challenge = _challenge(scheme, **parts)
    if isinstance(fault, TokenInvalid) and scheme is Scheme.BEARER:
        # The token may be DPoP-bound, so both schemes are offered. RFC 9449 §7.1.
        challenge = f"{challenge}, {_challenge(Scheme.DPOP)}"
    answer = {**headers, "WWW-Authenticate": challenge}
    body = {"error": fault.code, "error_description": str(fault)}
    return JSONResponse(body, _STATUS[type(fault)], headers=answer)


def _challenge(scheme: Scheme, **parts: str) -> str:
    named = {"realm": _REALM, **parts}
    if scheme is Scheme.DPOP:
        named["algs"] = " ".join(ALGORITHMS)
    return f"{scheme} " + ", ".join(f'{name}="{value}"' for name, value in named.items())

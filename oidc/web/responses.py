"""Sends authorization responses, and answers where nothing else can."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Match

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from starlette.exceptions import HTTPException
    from starlette.requests import Request

    from oidc.protocol.response import AuthorizationResponse
    from oidc.web.language import Language
    from oidc.web.services import Services


_HEADERS = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}


def send(
    services: Services,
    answer: AuthorizationResponse,
    *,
    status: int,
    language: Language | None = None,
) -> Response:
    """Return a redirect, or a page that posts a form.

    Args:
        services: render the page.
        answer: to send.
        status: of a redirect: 302 after GET, 303 after POST (RFC 9700 §4.12).
        language: of the page.
    """
    if answer.posted:
        return services.pages.lead_on(answer.address, language, answer.posted)
    return RedirectResponse(answer.address, status, headers=_HEADERS)


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

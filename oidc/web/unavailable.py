"""Responses while the database is unavailable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from starlette.responses import JSONResponse, Response

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.requests import Request

    from oidc.web.services import Services

RETRY_AFTER_S: Final = 5
"""Seconds until clients should retry. RFC 9110 §10.2.3."""

DESCRIPTION: Final = "the service is temporarily unavailable: try again"

_PAGE: Final = "error_away"
"""Key in the catalogues."""


def unavailable(headers: Mapping[str, str]) -> Response:
    """Return the JSON response. The error is named as in RFC 6749 §4.1.2.1."""
    body = {"error": "temporarily_unavailable", "error_description": DESCRIPTION}
    return JSONResponse(body, 503, headers={**headers, "Retry-After": str(RETRY_AFTER_S)})


def unavailable_handler(services: Services) -> Callable[[Request, Exception], Response]:
    """Return the exception handler: a page for browsers, JSON for programs."""

    def answer(request: Request, _fault: Exception) -> Response:
        if "text/html" not in request.headers.get("accept", ""):
            return unavailable({"Cache-Control": "no-store"})
        page = services.pages.error(request, _PAGE, status=503)
        page.headers["Retry-After"] = str(RETRY_AFTER_S)
        return page

    return answer

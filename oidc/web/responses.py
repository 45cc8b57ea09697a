"""Sends an authorization response to the client."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import RedirectResponse, Response

from oidc.types import ResponseMode

if TYPE_CHECKING:
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
    if answer.response_mode is ResponseMode.FORM_POST:
        return services.pages.form_post(answer, language)
    return RedirectResponse(answer.address, status, headers=_HEADERS)

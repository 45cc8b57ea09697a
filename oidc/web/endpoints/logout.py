"""Logout endpoint, by GET or POST, and its confirmation page.

OpenID Connect RP-Initiated Logout 1.0 §2. Another website's form arrives without our
cookie: a page of ours submits it once more.
"""

from typing import Final, assert_never

from fastapi import APIRouter
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from oidc.errors import LogoutRefused, UntrustedRequest
from oidc.logout import ConfirmationNeeded, SignedOut
from oidc.protocol import Parameters, parse_parameters
from oidc.web.body import read_form
from oidc.web.cookies import is_same_origin_form
from oidc.web.language import Language
from oidc.web.services import Services

_HEADERS: Final = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
_AGAIN: Final = "again"
"""Field of a form that our own page submitted."""

MALFORMED: Final = "error_logout"
"""Catalogue key of the error page for invalid requests."""


def logout_router(services: Services) -> APIRouter:
    """Return the routes of the logout endpoint and its page."""
    router = APIRouter(prefix=f"{services.paths.auth_path}/oauth")

    @router.head("/logout")
    def head() -> Response:
        """Answer HEAD without signing out. RFC 9110 §9.2.1."""
        return Response(headers=_HEADERS)

    @router.get("/logout")
    def by_query(request: Request) -> Response:
        return _begin(services, request, request.scope["query_string"].decode("latin-1"))

    @router.post("/logout")
    async def by_form(request: Request) -> Response:
        form = await read_form(request)
        if form is None:
            return _malformed(services, request, status=400)
        return await run_in_threadpool(_begin, services, request, form)

    @router.post("/logout/confirm")
    async def confirm(request: Request) -> Response:
        form = await read_form(request)
        if form is None or not is_same_origin_form(request, services.paths):
            return _malformed(services, request, status=403)
        return await run_in_threadpool(_confirm, services, request, form)

    return router


def _begin(services: Services, request: Request, text: str) -> Response:
    secret = services.session_cookie.read(request.cookies)
    try:
        parameters = parse_parameters(text)
        language = services.pages.language(request, parameters.get("ui_locales"))
        if _may_miss_cookie(services, request, parameters):
            here = f"{services.settings.auth_url}/oauth/logout"
            return services.pages.lead_on(
                here, language, [*parameters.values.items(), (_AGAIN, "1")]
            )
        began = services.logout.begin(parameters, secret)
    except (UntrustedRequest, LogoutRefused) as fault:
        return _refused(services, request, fault)
    match began:
        case ConfirmationNeeded():
            return services.pages.confirm_logout(began, language)
        case SignedOut():
            return _signed_out(services, request, began, language)
        case _:
            assert_never(began)


def _confirm(services: Services, request: Request, text: str) -> Response:
    secret = services.session_cookie.read(request.cookies)
    try:
        parameters = parse_parameters(text)
        mark = services.known_browser_cookie.read(request.cookies)
        station = services.station_cookie.read(request.cookies)
        signed_out = services.logout.confirm(parameters, secret, mark, station)
    except (UntrustedRequest, LogoutRefused) as fault:
        return _refused(services, request, fault)
    return _signed_out(services, request, signed_out, services.pages.language(request))


def _may_miss_cookie(services: Services, request: Request, parameters: Parameters) -> bool:
    """Return whether a form may have lost the session's cookie on its way (``SameSite``)."""
    is_first = parameters.get(_AGAIN) is None and not parameters.repeated
    has_none = services.session_cookie.read(request.cookies) is None
    may_have = bool(services.settings.session_minutes)
    return request.method == "POST" and is_first and has_none and may_have


def _signed_out(
    services: Services, request: Request, signed_out: SignedOut, language: Language
) -> Response:
    """Return the browser or show that it is done; then notify the clients."""
    address = signed_out.request.return_address if signed_out.returns else None
    response: Response
    if address is None:
        response = services.pages.signed_out(signed_out, language)
    elif request.method == "POST":
        response = services.pages.lead_on(address, language)
    else:
        response = RedirectResponse(address, 302, headers=_HEADERS)
    if services.session_cookie.read(request.cookies) is not None:
        # Without the cookie the form may be another website's: leave the session alone.
        services.session_cookie.delete(response)
    response.background = BackgroundTask(services.logout_delivery.deliver)
    return response


def _malformed(services: Services, request: Request, *, status: int) -> Response:
    return services.pages.error(request, MALFORMED, status=status)


def _refused(
    services: Services, request: Request, fault: UntrustedRequest | LogoutRefused
) -> Response:
    """Show an error page: an unverified redirect URI gets no answer."""
    reason = str(fault) if isinstance(fault, LogoutRefused) else None
    return services.pages.error(request, MALFORMED, status=400, reason=reason)

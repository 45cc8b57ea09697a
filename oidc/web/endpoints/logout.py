"""Logout endpoint, by GET or POST, and its confirmation page.

OpenID Connect RP-Initiated Logout 1.0 §2. Another website's form arrives without our
cookie: the browser is redirected to GET.
"""

from typing import Final, assert_never
from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from oidc.client import Client
from oidc.errors import LogoutRefused, UntrustedRequest
from oidc.logout import ConfirmationNeeded, SignedOut
from oidc.protocol import Parameters, parse_parameters
from oidc.web.body import read_form
from oidc.web.cookies import is_same_origin_form
from oidc.web.language import Language
from oidc.web.services import Services

_HEADERS: Final = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
_HARMLESS: Final = ("client_id", "post_logout_redirect_uri", "state", "ui_locales")
"""Parameters that may appear in an address bar; the ID token may not."""

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
        began = services.logout.begin(parameters, secret)
    except (UntrustedRequest, LogoutRefused) as fault:
        return _refused(services, request, fault)
    may_miss_cookie = (
        request.method == "POST" and secret is None and services.settings.session_minutes
    )
    if may_miss_cookie and (isinstance(began, ConfirmationNeeded) or not began.returns):
        return _retry_by_get(services, parameters, began.request.client)
    language = services.pages.language(request, parameters.get("ui_locales"))
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


def _retry_by_get(
    services: Services, parameters: Parameters, client: Client | None
) -> Response:
    values = {name: parameters.get(name) for name in _HARMLESS}
    if client is not None:
        values["client_id"] = client.client_id
    query = urlencode({name: value for name, value in values.items() if value is not None})
    here = f"{services.settings.auth_url}/oauth/logout"
    return RedirectResponse(f"{here}?{query}" if query else here, 303, headers=_HEADERS)


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

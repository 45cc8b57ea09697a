"""``{auth_url}/oauth/logout``: signing out, by GET or POST, and the page that asks first.

OpenID Connect RP-Initiated Logout 1.0 §2. A form that another website posts comes without our
cookie; if it proves nothing by itself, the browser is sent once more, by GET, so that the
cookie comes along.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never
from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from oidc.errors import LogoutRefused, UntrustedRequest
from oidc.logout.rp_initiated import MustConfirm, SignedOut
from oidc.protocol.parameters import parse_parameters
from oidc.web.body import read_form
from oidc.web.csrf import is_own_form

if TYPE_CHECKING:
    from oidc.protocol.parameters import Parameters
    from oidc.web.i18n import Language
    from oidc.web.services import Context

_HEADERS: Final = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
_HARMLESS: Final = ("client_id", "post_logout_redirect_uri", "state", "ui_locales")
"""What may stand in an address bar: not the ID token."""

MALFORMED: Final = "error_logout"
"""What is said to the person where nothing was ended. Key of the catalogues."""


def logout_router(context: Context) -> APIRouter:
    """Return the routes of the logout endpoint and its page."""
    router = APIRouter(prefix=f"{context.places.auth_path}/oauth")

    @router.head("/logout")
    def look() -> Response:
        """Answer HEAD, which is safe: nobody is signed out. RFC 9110 §9.2.1."""
        return Response(headers=_HEADERS)

    @router.get("/logout")
    def by_query(request: Request) -> Response:
        return _begin(context, request, request.scope["query_string"].decode("latin-1"))

    @router.post("/logout")
    async def by_form(request: Request) -> Response:
        form = await read_form(request)
        if form is None:
            return _malformed(context, request, status=400)
        return await run_in_threadpool(_begin, context, request, form)

    @router.post("/logout/confirm")
    async def confirm(request: Request) -> Response:
        form = await read_form(request)
        if form is None or not is_own_form(request, context.places):
            return _malformed(context, request, status=403)
        return await run_in_threadpool(_confirm, context, request, form)

    return router


def _begin(context: Context, request: Request, text: str) -> Response:
    secret = context.session_cookie.read(request.cookies)
    try:
        parameters = parse_parameters(text)
        began = context.logout.begin(parameters, secret)
    except (UntrustedRequest, LogoutRefused) as fault:
        return _refused(context, request, fault)
    is_blind = request.method == "POST" and secret is None and context.settings.session_minutes
    if is_blind and isinstance(began, SignedOut) and began.request.hint is None:
        return _once_more(context, parameters)
    language = context.pages.language(request, parameters.get("ui_locales"))
    match began:
        case MustConfirm():
            return context.pages.confirm_logout(began, language)
        case SignedOut():
            return _signed_out(context, request, began, language)
        case _:
            assert_never(began)


def _confirm(context: Context, request: Request, text: str) -> Response:
    secret = context.session_cookie.read(request.cookies)
    try:
        parameters = parse_parameters(text)
        proof = parameters.get("proof") or ""
        signed_out = context.logout.confirm(parameters, secret, proof)
    except (UntrustedRequest, LogoutRefused) as fault:
        return _refused(context, request, fault)
    return _signed_out(context, request, signed_out, context.pages.language(request))


def _once_more(context: Context, parameters: Parameters) -> Response:
    values = {name: parameters.get(name) for name in _HARMLESS}
    query = urlencode({name: value for name, value in values.items() if value is not None})
    here = f"{context.settings.auth_url}/oauth/logout"
    return RedirectResponse(f"{here}?{query}" if query else here, 303, headers=_HEADERS)


def _signed_out(
    context: Context, request: Request, signed_out: SignedOut, language: Language
) -> Response:
    """Send the browser on, or say that it is done; then tell the clients."""
    address = signed_out.request.return_address if signed_out.returns else None
    response: Response
    if address is None:
        response = context.pages.signed_out(signed_out, language)
    else:
        status = 302 if request.method == "GET" else 303
        response = RedirectResponse(address, status, headers=_HEADERS)
    if context.session_cookie.read(request.cookies) is not None:
        # Without it, another website may have posted: the cookie may be another session's.
        context.session_cookie.take_back(response)
    response.background = BackgroundTask(context.logout_delivery.deliver)
    return response


def _malformed(context: Context, request: Request, *, status: int) -> Response:
    language = context.pages.language(request)
    return context.pages.error(MALFORMED, status=status, language=language)


def _refused(
    context: Context, request: Request, fault: UntrustedRequest | LogoutRefused
) -> Response:
    """Show a page: an address that is not known to be the client's is told nothing."""
    reason = str(fault) if isinstance(fault, LogoutRefused) else None
    language = context.pages.language(request)
    return context.pages.error(MALFORMED, status=400, language=language, reason=reason)

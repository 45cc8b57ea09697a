"""Authorization endpoint: from a client's request to the consent page.

GET and POST are checked alike and differ in the redirect status (OpenID Connect Core
§3.1.2.1). A POST is read from its body only.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, urlencode

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from oidc.authorization import pushed
from oidc.authorization import request as authorize
from oidc.authorization.interaction import parse_interaction
from oidc.clients.registry import meets_profile
from oidc.errors import (
    AuthorizationRefused,
    PushedRequestGone,
    TooManyCalls,
    UnregisteredRedirect,
    UntrustedRequest,
)
from oidc.login.views import CodeIssued, CreatedLogin
from oidc.protocol import (
    AuthorizationResponse,
    Parameters,
    code_response,
    error_response,
    new_secret,
    parse_parameters,
)
from oidc.web.body import read_form
from oidc.web.cookies import visitor_of
from oidc.web.services import Services

LOGGER: Final = logging.getLogger(__name__)

_NO_STORE = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}

UNTRUSTED = "error_untrusted"
"""Catalogue key of the error page for requests of unknown clients."""

UNREGISTERED = "error_redirect_uri"
"""Catalogue key of the error page for redirect URIs that are not the client's."""

GONE = "error_request_used"
"""Catalogue key of the error page for pushed requests that were used before, or late."""


@dataclass(frozen=True, slots=True)
class _AuthorizationCall:
    """An authorization request as received, and the status of the redirect that answers it."""

    text: str
    status: int
    request: Request

    @property
    def may_miss_cookie(self) -> bool:
        """Whether the cookie may be missing because another website posted the form."""
        return self.request.method == "POST"


_Handle = Callable[[Services, _AuthorizationCall], Response]


def authorization_router(services: Services) -> APIRouter:
    """Return the routes of the authorization endpoint, at both of its addresses."""
    router, paths = APIRouter(), services.paths
    _serve(services, router, paths.auth_path, _start)
    if paths.base_path != paths.auth_path:
        _serve(services, router, paths.base_path, _forward)
    return router


def _serve(services: Services, router: APIRouter, prefix: str, handle: _Handle) -> None:
    async def answer(request: Request) -> Response:
        if request.method == "HEAD":
            return await run_in_threadpool(_answer_head, services, request)
        call = await _received(request)
        if call is None:
            return services.pages.error(request, UNTRUSTED, status=400)
        return await run_in_threadpool(handle, services, call)

    router.add_api_route(f"{prefix}/oauth/authorize", answer, methods=["GET", "HEAD", "POST"])


async def _received(request: Request) -> _AuthorizationCall | None:
    """Read a request from its query, or a POST from its body; None: too large, or no form."""
    if request.method != "POST":
        query = request.scope["query_string"].decode("latin-1")
        return _AuthorizationCall(query, 302, request)
    form = await read_form(request)
    return None if form is None else _AuthorizationCall(form, 303, request)


def _answer_head(services: Services, request: Request) -> Response:
    """Answer HEAD without starting a login or consuming a pushed request. RFC 9110 §9.2.1.

    The status says whether the client and redirect URI are valid.
    """
    try:
        parameters = parse_parameters(request.scope["query_string"].decode("latin-1"))
        if not pushed.is_reference(parameters):
            with services.database.read() as stores:
                authorize.require_trusted(stores, parameters)
    except UntrustedRequest:
        return Response(status_code=400, headers=_NO_STORE)
    return Response(status_code=200, headers=_NO_STORE)


def _forward(services: Services, call: _AuthorizationCall) -> Response:
    """Redirect to the address under ``auth_url`` before any cookie is set."""
    target = f"{services.settings.auth_url}/oauth/authorize"
    location = f"{target}?{call.text}" if call.text else target
    return RedirectResponse(location, call.status, headers=_NO_STORE)


def _start(services: Services, call: _AuthorizationCall) -> Response:
    # Before any cookie is set: it must belong to the consent page's host.
    if services.paths.is_other_address(call.request.headers.get("host", "")):
        return _forward(services, call)
    try:
        parameters = _resolved(services, parse_parameters(call.text))
        with services.database.read() as stores:
            trusted = authorize.require_trusted(stores, parameters)
    except UntrustedRequest as fault:
        # For the named client's developer; no other developer sees it.
        named = dict(parse_qsl(call.text)).get("client_id")
        services.error_log.record(named, "authorize", "untrusted_request", str(fault))
        if isinstance(fault, UnregisteredRedirect):
            return _unregistered(services, call.request, fault)
        key = GONE if isinstance(fault, PushedRequestGone) else UNTRUSTED
        return services.pages.error(call.request, key, status=400)
    try:
        return _open(services, call, parameters, trusted)
    except AuthorizationRefused as fault:
        refused = fault
    services.error_log.record(
        trusted.client.client_id, "authorize", refused.error, refused.description
    )
    path = authorize.response_target(parameters, trusted)
    answer = error_response(services.settings.issuer, path, refused)
    return _send(services, call, parameters, answer)


def _unregistered(
    services: Services, request: Request, fault: UnregisteredRedirect
) -> Response:
    """Name the app; the log, like the portal, shows its developer what was received."""
    LOGGER.warning("client %s: %s", fault.client_id, fault)
    reason = (
        f"client_id {fault.client_id}: the redirect URI is not registered. The app's errors in"
        " the portal and the log of the service show the one that was received."
    )
    return services.pages.error(
        request, UNREGISTERED, status=400, reason=reason, client_name=fault.client_name
    )


def _resolved(services: Services, parameters: Parameters) -> Parameters:
    """Return the pushed parameters if the browser sent a reference. RFC 9126 §4."""
    if not pushed.is_reference(parameters):
        return parameters
    with services.database.read() as stores:
        return pushed.resolve(stores, parameters, services.clock())


def _open(
    services: Services,
    call: _AuthorizationCall,
    parameters: Parameters,
    trusted: authorize.Trusted,
) -> Response:
    if not meets_profile(trusted.client, services.settings.profile):
        raise AuthorizationRefused(
            "this client does not use the FAPI 2.0 profile", "unauthorized_client"
        )
    try:
        services.rate_limits.count_login(trusted.client.client_id)
    except TooManyCalls as fault:
        raise AuthorizationRefused(str(fault), "temporarily_unavailable") from fault
    request = authorize.validate(
        parameters,
        trusted,
        palm_alone=services.settings.allows_palm_alone,
        require_pkce=services.settings.require_pkce,
    )
    secret = services.session_cookie.read(call.request.cookies)
    known = services.known_browser_cookie.read(call.request.cookies)
    interaction, settings = parse_interaction(parameters), services.settings
    needs_cookie = (
        settings.session_minutes
        or trusted.client.accept_stations
        or (settings.known_browser_days and not interaction.is_silent)
    )
    if call.may_miss_cookie and needs_cookie and secret is None and known is None:
        if parameters.reference:
            return _forward(services, call)
        return _retry_by_get(services, parameters, trusted)
    mark = known or new_secret()
    station = services.station_cookie.read(call.request.cookies)
    visitor = visitor_of(call.request, services.cookies, mark, station)
    result = services.authorizer.authorize(request, interaction, secret, visitor)
    if isinstance(result, CodeIssued):
        path = authorize.response_target(parameters, trusted)
        answer = code_response(services.settings.issuer, path, result.code)
        return _send(services, call, parameters, answer)
    response = _to_page(services, call, result)
    if services.settings.known_browser_days:
        services.known_browser_cookie.set(response, mark)
    if station is not None:
        services.station_cookie.set(response, station)
    return response


def _send(
    services: Services,
    call: _AuthorizationCall,
    parameters: Parameters,
    answer: AuthorizationResponse,
) -> Response:
    """Return a redirect, or a page that posts a form."""
    if not answer.posted:
        return RedirectResponse(answer.address, call.status, headers=_NO_STORE)
    language = services.pages.language(call.request, parameters.get("ui_locales"))
    return services.pages.lead_on(answer.address, language, answer.posted)


def _retry_by_get(
    services: Services, parameters: Parameters, trusted: authorize.Trusted
) -> Response:
    """Redirect to GET, so that the browser sends its cookie.

    The parameters are stored like a pushed request and stay out of the address bar.
    """
    with services.database.write() as stores:
        reference = pushed.store(stores, trusted.client, parameters, services.clock())
    named = {"client_id": trusted.client.client_id, "request_uri": reference.request_uri}
    here = f"{services.settings.auth_url}/oauth/authorize"
    return RedirectResponse(f"{here}?{urlencode(named)}", 303, headers=_NO_STORE)


def _to_page(services: Services, call: _AuthorizationCall, opened: CreatedLogin) -> Response:
    page = f"{services.settings.auth_url}/oauth/consent/{opened.login_id}"
    response = RedirectResponse(page, call.status, headers=_NO_STORE)
    services.cookies.set(response, opened, call.request.cookies)
    return response

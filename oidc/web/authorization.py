"""``{auth_url}/oauth/authorize``: from a client's request to the consent page.

By GET or by POST of a form: the same checks, another redirect status (OpenID Connect Core
§3.1.2.1). Of a POST the body alone is read, never the query.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from oidc.authorization import pushed
from oidc.authorization import request as authorize
from oidc.authorization.interaction import interaction_of
from oidc.clients.registry import is_admitted
from oidc.errors import DatabaseUnavailable, RequestRefused, TooManyCalls, UntrustedRequest
from oidc.login.views import CodeIssued
from oidc.protocol import response as answers
from oidc.protocol.identifiers import new_secret
from oidc.protocol.parameters import parse_parameters
from oidc.web.body import read_form
from oidc.web.responses import send
from oidc.web.unavailable import DESCRIPTION
from oidc.web.visitors import visitor_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from oidc.login.views import OpenedLogin
    from oidc.protocol.parameters import Parameters
    from oidc.web.services import Context

_NO_STORE = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}

UNTRUSTED = "error_untrusted"
"""What is said where no client can be told. Key of the catalogues."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """An authorization request as it came: query or form, and how a redirect answers it."""

    text: str
    status: int
    request: Request

    @property
    def is_blind(self) -> bool:
        """Whether our cookie may be missing only because another website posted a form."""
        return self.request.method == "POST"


def authorization_router(context: Context) -> APIRouter:
    """Return the routes of the authorization endpoint, at both of its addresses."""
    router = APIRouter()
    places = context.places
    real = f"{places.auth_path}/oauth/authorize"
    other = f"{places.base_path}/oauth/authorize"

    def start(asked: _Asked) -> Response:
        # Before any cookie: it must be given to the host of the consent page.
        is_other = places.is_other_name(asked.request.headers.get("host", ""))
        return _forward(context, asked) if is_other else _start(context, asked)

    def forward(asked: _Asked) -> Response:
        return _forward(context, asked)

    def start_or_forward(asked: _Asked) -> Response:
        # Both addresses have one path: the host decides. It decides nothing else.
        is_other = asked.request.headers.get("host", "").lower() == places.base_host
        return _forward(context, asked) if is_other else _start(context, asked)

    if places.forwards and real == other:
        _serve(context, router, real, start_or_forward)
        return router
    _serve(context, router, real, start)
    if places.forwards:
        _serve(context, router, other, forward)
    return router


def _serve(
    context: Context, router: APIRouter, path: str, answer: Callable[[_Asked], Response]
) -> None:
    def by_query(request: Request) -> Response:
        return answer(_Asked(request.scope["query_string"].decode("latin-1"), 302, request))

    async def by_form(request: Request) -> Response:
        form = await read_form(request)
        if form is None:
            return _untrusted(context, request)
        return await run_in_threadpool(answer, _Asked(form, 303, request))

    def look(request: Request) -> Response:
        return _look(context, request)

    router.add_api_route(path, look, methods=["HEAD"])
    router.add_api_route(path, by_query, methods=["GET"])
    router.add_api_route(path, by_form, methods=["POST"])


def _look(context: Context, request: Request) -> Response:
    """Answer HEAD, which is safe: no login begins and no pushed request is spent.

    RFC 9110 §9.2.1. Says whether the request could be trusted, as far as that can be seen.
    """
    try:
        parameters = parse_parameters(request.scope["query_string"].decode("latin-1"))
        if not pushed.is_reference(parameters):
            with context.transactions.read() as stores:
                authorize.require_trusted(stores, parameters)
    except UntrustedRequest:
        return Response(status_code=400, headers=_NO_STORE)
    return Response(status_code=200, headers=_NO_STORE)


def _forward(context: Context, asked: _Asked) -> Response:
    """Send the browser to the real address, by GET, before any cookie is set."""
    target = f"{context.settings.auth_url}/oauth/authorize"
    location = f"{target}?{asked.text}" if asked.text else target
    return RedirectResponse(location, asked.status, headers=_NO_STORE)


def _start(context: Context, asked: _Asked) -> Response:
    try:
        parameters = _resolved(context, parse_parameters(asked.text))
        with context.transactions.read() as stores:
            trusted = authorize.require_trusted(stores, parameters)
    except UntrustedRequest as fault:
        _note_untrusted(context, asked.text, fault)
        return _untrusted(context, asked.request)
    try:
        return _open(context, asked, parameters, trusted)
    except RequestRefused as fault:
        refused = fault
    except DatabaseUnavailable:
        refused = RequestRefused("temporarily_unavailable", DESCRIPTION)
    context.error_notes.note(
        trusted.client.client_id, "authorize", refused.error, refused.description
    )
    path = authorize.return_path(parameters, trusted)
    answer = answers.error_answer(context.settings.issuer, path, refused)
    language = context.pages.language(asked.request)
    return send(context, answer, status=asked.status, language=language)


def _note_untrusted(context: Context, text: str, fault: UntrustedRequest) -> None:
    """Keep it for the developer of the client that was named: nobody else is told why."""
    named = dict(parse_qsl(text)).get("client_id")
    context.error_notes.note(named, "authorize", "untrusted_request", str(fault))


def _untrusted(context: Context, request: Request) -> Response:
    language = context.pages.language(request)
    return context.pages.error(UNTRUSTED, status=400, language=language)


def _resolved(context: Context, parameters: Parameters) -> Parameters:
    """Return the request itself where the browser brought a reference (RFC 9126 §4)."""
    if not pushed.is_reference(parameters):
        return parameters
    with context.transactions.write() as stores:
        return pushed.resolve(stores, parameters, context.clock())


def _open(
    context: Context, asked: _Asked, parameters: Parameters, trusted: authorize.Trusted
) -> Response:
    if not is_admitted(trusted.client, context.settings.profile):
        raise RequestRefused("unauthorized_client", "this client is not held to FAPI 2.0")
    try:
        context.quotas.require_login(trusted.client.client_id)
    except TooManyCalls as fault:
        raise RequestRefused("temporarily_unavailable", str(fault)) from fault
    request = authorize.validate(parameters, trusted)
    secret = context.session_cookie.read(asked.request.cookies)
    if asked.is_blind and context.settings.session_minutes and secret is None:
        return _once_more(context, parameters, trusted)
    mark = context.browser_mark.read(asked.request) or new_secret()
    visitor = visitor_of(asked.request, context.cookies, mark)
    entered = context.entrance.enter(request, interaction_of(parameters), secret, visitor)
    if isinstance(entered, CodeIssued):
        path = authorize.return_path(parameters, trusted)
        answer = answers.code_answer(context.settings.issuer, path, entered.code)
        return send(context, answer, status=asked.status)
    response = _to_page(context, asked, entered)
    if context.settings.known_browser_days:
        context.browser_mark.give(response, mark)
    return response


def _once_more(
    context: Context, parameters: Parameters, trusted: authorize.Trusted
) -> Response:
    """Let the browser come once more, by GET: another website's form brings no cookie.

    The request waits here meanwhile, as a pushed one would, and is in no address bar.
    """
    with context.transactions.write() as stores:
        reference = pushed.keep(stores, trusted.client, parameters, context.clock())
    named = {"client_id": trusted.client.client_id, "request_uri": reference.request_uri}
    here = f"{context.settings.auth_url}/oauth/authorize"
    return RedirectResponse(f"{here}?{urlencode(named)}", 303, headers=_NO_STORE)


def _to_page(context: Context, asked: _Asked, opened: OpenedLogin) -> Response:
    page = f"{context.settings.auth_url}/oauth/consent/{opened.login_id}"
    response = RedirectResponse(page, asked.status, headers=_NO_STORE)
    context.cookies.give(response, opened, asked.request.cookies)
    return response

"""``{auth_url}/oauth/authorize``: from a client's request to the consent page.

By GET or by POST of a form: the same checks, another redirect status (OpenID Connect Core
§3.1.2.1). Of a POST the body alone is read, never the query.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from oidc import answers, authorize, pushing
from oidc.errors import RequestRefused, UntrustedRequest
from oidc.parameters import parse_parameters
from oidc.routes.answering import send
from oidc.routes.reading import read_form

if TYPE_CHECKING:
    from collections.abc import Callable

    from oidc.parameters import Parameters
    from oidc.routes.context import Context

_NO_STORE = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}

UNTRUSTED = (
    "The app that sent you here could not be recognised, so you were not sent back to it."
    " Nothing was shared."
)


@dataclass(frozen=True, slots=True)
class _Asked:
    """An authorization request as it came: query or form, and how a redirect answers it."""

    text: str
    status: int
    request: Request


def authorization_router(context: Context) -> APIRouter:
    """Return the routes of the authorization endpoint, at both of its addresses."""
    router = APIRouter()
    places = context.places
    real = f"{places.auth_path}/oauth/authorize"
    other = f"{places.base_path}/oauth/authorize"

    def start(asked: _Asked) -> Response:
        return _start(context, asked)

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
            return context.pages.error(UNTRUSTED, status=400)
        return await run_in_threadpool(answer, _Asked(form, 303, request))

    router.add_api_route(path, by_query, methods=["GET"])
    router.add_api_route(path, by_form, methods=["POST"])


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
    except UntrustedRequest:
        return context.pages.error(UNTRUSTED, status=400)
    try:
        return _open(context, asked, parameters, trusted)
    except RequestRefused as refused:
        path = authorize.return_path(parameters, trusted)
        answer = answers.error_answer(context.settings.issuer, path, refused)
        return send(context, answer, status=asked.status)


def _resolved(context: Context, parameters: Parameters) -> Parameters:
    """Return the request itself where the browser brought a reference (RFC 9126 §4)."""
    if not pushing.is_reference(parameters):
        return parameters
    with context.transactions.write() as stores:
        return pushing.resolve(stores, parameters, context.clock())


def _open(
    context: Context, asked: _Asked, parameters: Parameters, trusted: authorize.Trusted
) -> Response:
    opened = context.waiting.open_login(authorize.validate(parameters, trusted))
    page = f"{context.settings.auth_url}/oauth/consent/{opened.login_id}"
    response = RedirectResponse(page, asked.status, headers=_NO_STORE)
    context.cookies.give(response, opened, asked.request.cookies)
    return response

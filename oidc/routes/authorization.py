"""``GET {auth_url}/oauth/authorize``: from a client's request to the consent page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from oidc import authorize
from oidc.errors import RequestRefused, UntrustedRequest

if TYPE_CHECKING:
    from oidc.authorize import Parameters
    from oidc.routes.context import Context

_NO_STORE = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}

UNTRUSTED = (
    "The app that sent you here could not be recognised, so you were not sent back to it."
    " Nothing was shared."
)


def authorization_router(context: Context) -> APIRouter:
    """Return the routes of the authorization endpoint, at both of its addresses."""
    router = APIRouter()
    places = context.places
    real = f"{places.auth_path}/oauth/authorize"
    other = f"{places.base_path}/oauth/authorize"

    def start(request: Request) -> Response:
        return _start(context, request)

    def forward(request: Request) -> Response:
        return _forward(context, request)

    def start_or_forward(request: Request) -> Response:
        # Both addresses have one path: the host decides. It decides nothing else.
        is_other = request.headers.get("host", "").lower() == places.base_host
        return _forward(context, request) if is_other else _start(context, request)

    if not places.forwards:
        router.add_api_route(real, start, methods=["GET"])
    elif real == other:
        router.add_api_route(real, start_or_forward, methods=["GET"])
    else:
        router.add_api_route(real, start, methods=["GET"])
        router.add_api_route(other, forward, methods=["GET"])
    return router


def _forward(context: Context, request: Request) -> Response:
    """Send the browser to the real address before any cookie is set."""
    query = request.scope["query_string"].decode("latin-1")
    target = f"{context.settings.auth_url}/oauth/authorize"
    location = f"{target}?{query}" if query else target
    return RedirectResponse(location, 302, headers=_NO_STORE)


def _start(context: Context, request: Request) -> Response:
    try:
        parameters = authorize.parse_parameters(request.scope["query_string"].decode("latin-1"))
        with context.transactions.read() as stores:
            trusted = authorize.require_trusted(stores, parameters)
    except UntrustedRequest:
        return context.pages.error(UNTRUSTED, status=400)
    try:
        return _open(context, request, parameters, trusted)
    except RequestRefused as refused:
        issuer, state = context.settings.issuer, parameters.state
        location = authorize.error_answer(issuer, trusted.redirect_uri, refused, state)
        return RedirectResponse(location, 302, headers=_NO_STORE)


def _open(
    context: Context, request: Request, parameters: Parameters, trusted: authorize.Trusted
) -> Response:
    opened = context.waiting.open_login(authorize.validate(parameters, trusted))
    page = f"{context.settings.auth_url}/oauth/consent/{opened.login_id}"
    response = RedirectResponse(page, 302, headers=_NO_STORE)
    context.cookies.give(response, opened, request.cookies)
    return response

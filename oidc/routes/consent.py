"""The consent page and what it does: all of it needs the cookie of its login."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, assert_never

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from oidc import answers
from oidc.errors import LoginFault, RequestRefused
from oidc.routes.answering import send
from oidc.routes.stream import EventStream, progress_message
from oidc.types import Hint, LoginId
from oidc.waiting import CodeIssued, LoginRefused, StillWaiting

if TYPE_CHECKING:
    from oidc.routes.context import Context
    from oidc.types import AuthorizationRequest
    from oidc.waiting import Collected, View

_NO_STORE = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}

OVER = (
    "This sign-in is over, or it was started in another browser. Go back to the app and start"
    " again. Nothing was shared from here."
)

REASONS = {
    Hint.DECLINED: "the person declined on the phone",
    Hint.EXPIRED: "the time for signing in ran out",
    Hint.LOCKED: "the palm could not be verified",
    Hint.CANCELLED: "the person cancelled in the browser",
}
"""``error_description`` of ``access_denied``, for every way in which a login ends."""


def consent_router(context: Context) -> APIRouter:
    """Return the routes of the consent page."""
    router = APIRouter(prefix=f"{context.places.auth_path}/oauth")

    @router.get("/consent/{login_id}")
    def page(request: Request, login_id: str) -> Response:
        return _guarded(context, lambda: _page(context, request, LoginId(login_id)))

    @router.get("/consent/{login_id}/state")
    def state(request: Request, login_id: str) -> Response:
        try:
            view = _view(context, request, LoginId(login_id))
        except LoginFault as fault:
            return JSONResponse({"error": fault.code}, 403, headers=_NO_STORE)
        message = progress_message(view.progress, context.clock)
        return JSONResponse(message, headers=_NO_STORE)

    @router.get("/consent/{login_id}/events")
    async def events(request: Request, login_id: str) -> Response:
        return await _events(context, request, LoginId(login_id))

    @router.post("/consent/{login_id}/continue")
    def proceed(request: Request, login_id: str) -> Response:
        return _guarded(context, lambda: _proceed(context, request, LoginId(login_id)))

    @router.post("/consent/{login_id}/cancel")
    def cancel(request: Request, login_id: str) -> Response:
        return _guarded(context, lambda: _cancel(context, request, LoginId(login_id)))

    @router.get("/static/{name}")
    def asset(name: str) -> Response:
        return context.pages.asset(name)

    return router


def _guarded(context: Context, act: Callable[[], Response]) -> Response:
    try:
        return act()
    except LoginFault:
        return context.pages.error(OVER, status=403)


def _view(context: Context, request: Request, login_id: LoginId) -> View:
    return context.waiting.view(login_id, context.cookies.read(request.cookies, login_id))


def _page(context: Context, request: Request, login_id: LoginId) -> Response:
    return context.pages.consent(_view(context, request, login_id), context.clock())


async def _events(context: Context, request: Request, login_id: LoginId) -> Response:
    try:
        view = await run_in_threadpool(_view, context, request, login_id)
    except LoginFault as fault:
        return JSONResponse({"error": fault.code}, 403, headers=_NO_STORE)
    subscription = context.watch.admit(view.progress)
    if subscription is None:
        headers = {**_NO_STORE, "Retry-After": "5"}
        return JSONResponse({"error": "too_many_streams"}, 503, headers=headers)
    return EventStream(
        context.watch,
        subscription,
        context.clock,
        heartbeat_s=context.settings.heartbeat_s,
        lifetime_s=context.settings.stream_lifetime_s,
    )


def _proceed(context: Context, request: Request, login_id: LoginId) -> Response:
    _require_own_form(context, request)
    secret = context.cookies.read(request.cookies, login_id)
    return _finish(context, login_id, context.waiting.collect(login_id, secret))


def _cancel(context: Context, request: Request, login_id: LoginId) -> Response:
    _require_own_form(context, request)
    secret = context.cookies.read(request.cookies, login_id)
    return _finish(context, login_id, context.waiting.cancel(login_id, secret))


def _require_own_form(context: Context, request: Request) -> None:
    """Refuse a form that another site submitted: the cookie's SameSite is the first lock."""
    origin = request.headers.get("origin")
    site = request.headers.get("sec-fetch-site", "same-origin")
    if site not in ("same-origin", "none") or origin not in (None, context.places.auth_origin):
        raise LoginFault


def _finish(context: Context, login_id: LoginId, collected: Collected) -> Response:
    """Answer a form by 303: the browser follows with GET and drops the body. RFC 9700 §4.12."""
    issuer = context.settings.issuer
    match collected:
        case StillWaiting():
            page = f"{context.settings.auth_url}/oauth/consent/{login_id}"
            return RedirectResponse(page, 303, headers=_NO_STORE)
        case CodeIssued(request, code):
            answer = answers.code_answer(issuer, _return_path(request), code)
        case LoginRefused(request, hint):
            refused = RequestRefused("access_denied", REASONS[hint])
            answer = answers.error_answer(issuer, _return_path(request), refused)
        case _:
            assert_never(collected)
    response = send(context, answer, status=303)
    context.cookies.take_back(response, login_id)
    return response


def _return_path(request: AuthorizationRequest) -> answers.ReturnPath:
    return answers.ReturnPath(request.redirect_uri, request.response_mode, request.state)

"""The consent page and what it does: all of it needs the cookie of its login."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, assert_never

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from oidc.errors import LoginFault, RequestRefused, UntrustedRequest
from oidc.login.user_agents import is_handheld
from oidc.login.views import CodeIssued, LoginRefused, OpenedLogin, StillWaiting
from oidc.protocol import response as answers
from oidc.protocol.parameters import parse_parameters
from oidc.types import Hint, LoginId, LoginState
from oidc.web.body import read_form
from oidc.web.csrf import is_own_form
from oidc.web.login_events import EventStream, progress_message
from oidc.web.pages import HERE
from oidc.web.responses import send

if TYPE_CHECKING:
    from oidc.login.views import Collected, View
    from oidc.protocol.parameters import Parameters
    from oidc.types import AuthorizationRequest, BrowserSecret
    from oidc.web.services import Context

_NO_STORE = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}

OVER = "error_over"
"""What is said to a browser that has no half of this login. Key of the catalogues."""

REASONS = {
    Hint.DECLINED: "the person declined on the phone",
    Hint.EXPIRED: "the time for signing in ran out",
    Hint.LOCKED: "the palm could not be verified",
    Hint.CODE_LOCKED: "the confirmation code was wrong too often",
    Hint.CANCELLED: "the person cancelled in the browser",
    Hint.SUPERSEDED: "a newer sign-in has replaced this one",
    Hint.REPORTED: "the person says on the phone that somebody else began this sign-in",
}
"""``error_description`` of ``access_denied``, for every way in which a login ends."""


def consent_router(context: Context) -> APIRouter:
    """Return the routes of the consent page."""
    router = APIRouter(prefix=f"{context.places.auth_path}/oauth")
    _serve_page(context, router)
    for action, act in _ACTIONS.items():
        _serve_action(context, router, action, act)

    @router.get("/static/{name}")
    def asset(name: str) -> Response:
        return context.pages.asset(name)

    return router


def _serve_page(context: Context, router: APIRouter) -> None:
    @router.get("/consent/{login_id}")
    def page(request: Request, login_id: str) -> Response:
        return _guarded(context, request, lambda: _page(context, request, LoginId(login_id)))

    @router.get("/consent/{login_id}/state")
    def state(request: Request, login_id: str) -> Response:
        return _state(context, request, LoginId(login_id))

    @router.get("/consent/{login_id}/events")
    async def events(request: Request, login_id: str) -> Response:
        return await _events(context, request, LoginId(login_id))


def _serve_action(context: Context, router: APIRouter, action: str, act: _Action) -> None:
    async def answer(request: Request, login_id: str) -> Response:
        form = await read_form(request) or ""

        def guarded() -> Response:
            _require_own_form(context, request)
            submitted = _Submitted(request, LoginId(login_id), _fields(form))
            return act(context, submitted)

        return await run_in_threadpool(_guarded, context, request, guarded)

    router.add_api_route(f"/consent/{{login_id}}/{action}", answer, methods=["POST"])


def _fields(form: str) -> Parameters:
    """Read a form; one that cannot be read is none of ours."""
    try:
        return parse_parameters(form)
    except UntrustedRequest as fault:
        raise LoginFault from fault


@dataclass(frozen=True, slots=True)
class _Submitted:
    """One of the page's forms, from this page."""

    request: Request
    login_id: LoginId
    fields: Parameters


_Action = Callable[["Context", _Submitted], Response]


def _guarded(context: Context, request: Request, act: Callable[[], Response]) -> Response:
    try:
        return act()
    except LoginFault:
        language = context.pages.language(request)
        return context.pages.error(OVER, status=403, language=language)


def _view(context: Context, request: Request, login_id: LoginId) -> View:
    return context.waiting.view(login_id, context.cookies.read(request.cookies, login_id))


def _state(context: Context, request: Request, login_id: LoginId) -> Response:
    try:
        view = _view(context, request, login_id)
    except LoginFault as fault:
        return JSONResponse({"error": fault.code}, 403, headers=_NO_STORE)
    message = dict(progress_message(view.progress, context.clock))
    if view.progress.state is LoginState.PENDING:
        message["code"] = _code_message(context, view)[0]
    return JSONResponse(message, headers=_NO_STORE)


def _page(context: Context, request: Request, login_id: LoginId) -> Response:
    view = _view(context, request, login_id)
    language = context.pages.language(request, view.request.ui_locales)
    handheld = is_handheld(request.headers.get("user-agent", ""))
    return context.pages.consent(view, context.clock(), language, handheld=handheld)


def _code_message(context: Context, view: View) -> tuple[Mapping[str, object], float]:
    """Return what the page is told of the code it shows now, and for how long that is good."""
    shown = context.pages.shown_code(view, context.clock())
    message = {
        "path": shown.code.path,
        "here": shown.link + HERE,
        "demo": context.pages.demo_command(shown.link),
    }
    return message, shown.lasts_s


async def _events(context: Context, request: Request, login_id: LoginId) -> Response:
    try:
        view = await run_in_threadpool(_view, context, request, login_id)
    except LoginFault as fault:
        return JSONResponse({"error": fault.code}, 403, headers=_NO_STORE)
    subscription = context.watch.subscribe(view.progress)
    if subscription is None:
        headers = {**_NO_STORE, "Retry-After": "5"}
        return JSONResponse({"error": "too_many_streams"}, 503, headers=headers)
    return EventStream(
        context.watch,
        subscription,
        context.clock,
        lambda: _code_message(context, view),
        heartbeat_s=context.settings.heartbeat_s,
        lifetime_s=context.settings.stream_lifetime_s,
    )


def _proceed(context: Context, form: _Submitted) -> Response:
    session = context.session_cookie.read(form.request.cookies)
    collected = context.waiting.collect(form.login_id, _secret(context, form), session)
    return _finish(context, form, collected)


def _cancel(context: Context, form: _Submitted) -> Response:
    return _finish(context, form, context.waiting.cancel(form.login_id, _secret(context, form)))


def _confirm(context: Context, form: _Submitted) -> Response:
    session = context.session_cookie.read(form.request.cookies)
    typed = (form.fields.get("code") or "").strip()
    secret = _secret(context, form)
    confirmed = context.waiting.confirm(form.login_id, secret, typed, session)
    if isinstance(confirmed, LoginRefused):
        # The page says what happened, and goes back from there.
        return _to_page(context, form.login_id)
    return _finish(context, form, confirmed)


def _renew(context: Context, form: _Submitted) -> Response:
    renewed = context.waiting.renew(form.login_id, _secret(context, form))
    if not isinstance(renewed, OpenedLogin):
        return _finish(context, form, renewed)
    response = _to_page(context, renewed.login_id)
    context.cookies.take_back(response, form.login_id)
    context.cookies.give(response, renewed, {})
    return response


_ACTIONS: Final[Mapping[str, _Action]] = {
    "continue": _proceed,
    "cancel": _cancel,
    "code": _confirm,
    "renew": _renew,
}
"""What the forms of the page do."""


def _to_page(context: Context, login_id: LoginId) -> Response:
    page = f"{context.settings.auth_url}/oauth/consent/{login_id}"
    return RedirectResponse(page, 303, headers=_NO_STORE)


def _secret(context: Context, form: _Submitted) -> BrowserSecret:
    return context.cookies.read(form.request.cookies, form.login_id)


def _require_own_form(context: Context, request: Request) -> None:
    """Refuse a form that another site submitted."""
    if not is_own_form(request, context.places):
        raise LoginFault


def _finish(context: Context, form: _Submitted, collected: Collected) -> Response:
    """Answer a form by 303: the browser follows with GET and drops the body. RFC 9700 §4.12."""
    issuer = context.settings.issuer
    match collected:
        case StillWaiting():
            return _to_page(context, form.login_id)
        case CodeIssued(request, code):
            answer = answers.code_answer(issuer, _return_path(request), code)
        case LoginRefused(request, hint):
            refused = RequestRefused("access_denied", REASONS[hint])
            context.error_notes.note(
                request.client_id, "consent", refused.error, refused.description
            )
            answer = answers.error_answer(issuer, _return_path(request), refused)
        case _:
            assert_never(collected)
    response = send(context, answer, status=303, language=context.pages.language(form.request))
    context.cookies.take_back(response, form.login_id)
    if isinstance(collected, CodeIssued):
        context.session_cookie.give(response, collected.session_secret)
    return response


def _return_path(request: AuthorizationRequest) -> answers.ReturnPath:
    return answers.ReturnPath(request.redirect_uri, request.response_mode, request.state)

"""Consent page, its forms and events. All of them require the login's cookie.

Server-sent events send a waiting page its progress and the current QR code. Streams are counted
before a response starts.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, assert_never

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from oidc.client import AuthorizationRequest
from oidc.errors import LoginFault, UntrustedRequest
from oidc.login.issue_code import refusal_of
from oidc.login.views import (
    CodeIssued,
    Collected,
    CreatedLogin,
    LoginRefused,
    LoginView,
    Progress,
    StillWaiting,
)
from oidc.plumbing.login_watch import LoginWatch, Subscription
from oidc.protocol import (
    Parameters,
    ResponseTarget,
    code_response,
    error_response,
    parse_parameters,
)
from oidc.types import BrowserSecret, Clock, LoginId, LoginState
from oidc.web.body import read_form
from oidc.web.cookies import is_handheld, is_same_origin_form
from oidc.web.endpoints.home import logo_address
from oidc.web.pages import SAME_DEVICE_SUFFIX, is_over, seconds_left
from oidc.web.services import Services

CodeNow = Callable[[], tuple[Mapping[str, object], float]]


class EventStream(StreamingResponse):
    """Server-sent events of one login. Always unsubscribes at the end."""

    def __init__(
        self,
        watch: LoginWatch[Progress],
        subscription: Subscription[Progress],
        clock: Clock,
        code_now: CodeNow,
        *,
        heartbeat_s: float,
        lifetime_s: float,
    ) -> None:
        self._watch = watch
        self._subscription = subscription
        self._clock = clock
        self._code_now = code_now
        self._heartbeat_s = heartbeat_s
        self._lifetime_s = lifetime_s
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(self._events(), media_type="text/event-stream", headers=headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Stream, then unsubscribe."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._watch.unsubscribe(self._subscription)

    async def _events(self) -> AsyncIterator[str]:
        loop = asyncio.get_running_loop()
        ends_at = loop.time() + self._lifetime_s
        subscription = self._subscription
        sent = subscription.state
        text = "retry: 2000\n\n" + self._event(sent)
        # Compare with what was sent last: the login may have changed meanwhile.
        while not is_over(sent):
            pause_s = self._heartbeat_s
            if sent.state is LoginState.PENDING:
                message, lasts_s = self._code_now()
                text += f"event: code\ndata: {json.dumps(message)}\n\n"
                pause_s = min(pause_s, lasts_s)
            yield text or ": waiting\n\n"
            left_s = ends_at - loop.time()
            changed = await subscription.change(max(0.0, min(pause_s, left_s)))
            if subscription.is_closed or (left_s <= pause_s and not changed):
                return
            if changed:
                sent = subscription.state
            text = self._event(sent) if changed else ""
        yield text

    def _event(self, progress: Progress) -> str:
        message = progress_message(progress, self._clock)
        return f"event: progress\ndata: {json.dumps(message)}\n\n"


def progress_message(progress: Progress, clock: Clock) -> Mapping[str, object]:
    """Return the progress as sent to the page, by stream or by polling."""
    return {
        "state": progress.state,
        "hint": progress.hint,
        "expires_at": progress.expires_at.isoformat(),
        "expires_in": seconds_left(progress.expires_at, clock()),
        "is_over": is_over(progress),
        "is_renewable": progress.is_renewable,
        "tries_left": progress.tries_left,
    }


_NO_STORE = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}

LOGIN_OVER = "error_over"
"""Catalogue key of the error page for browsers without this login's cookie."""


def consent_router(services: Services) -> APIRouter:
    """Return the routes of the consent page."""
    router = APIRouter(prefix=f"{services.paths.auth_path}/oauth")
    for action, act in _ACTIONS.items():
        _serve_action(services, router, action, act)

    @router.get("/static/{name}")
    def asset(name: str) -> Response:
        return services.pages.asset(name)

    @router.get("/consent/{login_id}")
    def page(request: Request, login_id: str) -> Response:
        try:
            return _page(services, request, LoginId(login_id))
        except LoginFault:
            return _over(services, request)

    @router.get("/consent/{login_id}/state")
    def state(request: Request, login_id: str) -> Response:
        return _state(services, request, LoginId(login_id))

    @router.get("/consent/{login_id}/events")
    async def events(request: Request, login_id: str) -> Response:
        return await _events(services, request, LoginId(login_id))

    return router


def _serve_action(services: Services, router: APIRouter, action: str, act: _Action) -> None:
    async def answer(request: Request, login_id: str) -> Response:
        form = await read_form(request) or ""
        login = LoginId(login_id)
        return await run_in_threadpool(_submit, services, request, login, form, act)

    router.add_api_route(f"/consent/{{login_id}}/{action}", answer, methods=["POST"])


@dataclass(frozen=True, slots=True)
class _Submitted:
    """A form submitted by the consent page."""

    request: Request
    login_id: LoginId
    secret: BrowserSecret = field(repr=False)
    fields: Parameters


_Action = Callable[["Services", _Submitted], Response]


def _submit(
    services: Services, request: Request, login_id: LoginId, form: str, act: _Action
) -> Response:
    """Do what a form asks. One that is malformed or from another site is not ours."""
    try:
        if not is_same_origin_form(request, services.paths):
            raise LoginFault
        secret = services.cookies.read(request.cookies, login_id)
        return act(services, _Submitted(request, login_id, secret, parse_parameters(form)))
    except (LoginFault, UntrustedRequest):
        return _over(services, request)


def _over(services: Services, request: Request) -> Response:
    return services.pages.error(request, LOGIN_OVER, status=403)


def _view(services: Services, request: Request, login_id: LoginId) -> LoginView:
    return services.browser_logins.view(
        login_id, services.cookies.read(request.cookies, login_id)
    )


def _state(services: Services, request: Request, login_id: LoginId) -> Response:
    try:
        view = _view(services, request, login_id)
    except LoginFault as fault:
        return JSONResponse({"error": fault.code}, 403, headers=_NO_STORE)
    message = dict(progress_message(view.progress, services.clock))
    if view.progress.state is LoginState.PENDING:
        message["code"] = _code_message(services, view)[0]
    return JSONResponse(message, headers=_NO_STORE)


def _page(services: Services, request: Request, login_id: LoginId) -> Response:
    view = _view(services, request, login_id)
    language = services.pages.language(request, view.request.ui_locales)
    handheld = is_handheld(request.headers.get("user-agent", ""))
    logo = logo_address(services, view.request.client_id)
    return services.pages.consent(
        view, services.clock(), language, handheld=handheld, logo=logo
    )


def _code_message(services: Services, view: LoginView) -> tuple[Mapping[str, object], float]:
    """Return what the page needs to show the current QR code, and its remaining seconds."""
    shown = services.pages.shown_code(view, services.clock())
    message = {
        "link": shown.link,
        "here": shown.link + SAME_DEVICE_SUFFIX,
        "demo": services.pages.demo_command(shown.link),
    }
    return message, shown.lasts_s


async def _events(services: Services, request: Request, login_id: LoginId) -> Response:
    try:
        view = await run_in_threadpool(_view, services, request, login_id)
    except LoginFault as fault:
        return JSONResponse({"error": fault.code}, 403, headers=_NO_STORE)
    subscription = services.watch.subscribe(view.progress.login_id, view.progress)
    if subscription is None:
        headers = {**_NO_STORE, "Retry-After": "5"}
        return JSONResponse({"error": "too_many_streams"}, 503, headers=headers)
    return EventStream(
        services.watch,
        subscription,
        services.clock,
        lambda: _code_message(services, view),
        heartbeat_s=services.settings.heartbeat_s,
        lifetime_s=services.settings.stream_lifetime_s,
    )


def _continue(services: Services, form: _Submitted) -> Response:
    session = services.session_cookie.read(form.request.cookies)
    station = services.station_cookie.read(form.request.cookies)
    collected = services.browser_logins.collect(form.login_id, form.secret, session, station)
    return _finish(services, form, collected)


def _cancel(services: Services, form: _Submitted) -> Response:
    cancelled = services.browser_logins.cancel(form.login_id, form.secret)
    return _finish(services, form, cancelled)


def _confirm(services: Services, form: _Submitted) -> Response:
    session = services.session_cookie.read(form.request.cookies)
    typed = (form.fields.get("code") or "").strip()
    confirmed = services.browser_logins.confirm(form.login_id, form.secret, typed, session)
    if isinstance(confirmed, LoginRefused):
        # The page shows what happened and returns to the client.
        return _to_page(services, form.login_id)
    return _finish(services, form, confirmed)


def _renew(services: Services, form: _Submitted) -> Response:
    renewed = services.browser_logins.renew(form.login_id, form.secret)
    if not isinstance(renewed, CreatedLogin):
        return _finish(services, form, renewed)
    response = _to_page(services, renewed.login_id)
    services.cookies.delete(response, form.login_id)
    services.cookies.set(response, renewed, {})
    return response


_ACTIONS: Final[Mapping[str, _Action]] = {
    "continue": _continue,
    "cancel": _cancel,
    "code": _confirm,
    "renew": _renew,
}
"""The actions of the page's forms."""


def _to_page(services: Services, login_id: LoginId) -> Response:
    page = f"{services.settings.auth_url}/oauth/consent/{login_id}"
    return RedirectResponse(page, 303, headers=_NO_STORE)


def _finish(services: Services, form: _Submitted, collected: Collected) -> Response:
    """Answer a form: the page leads on to the client."""
    issuer = services.settings.issuer
    match collected:
        case StillWaiting():
            return _to_page(services, form.login_id)
        case CodeIssued(request, code):
            answer = code_response(issuer, _return_path(request), code)
        case LoginRefused(request, hint):
            refused = refusal_of(hint)
            services.error_log.record(
                request.client_id, "consent", refused.error, refused.description
            )
            answer = error_response(issuer, _return_path(request), refused)
        case _:
            assert_never(collected)
    language = services.pages.language(form.request, request.ui_locales)
    response = services.pages.lead_on(answer.address, language, answer.posted)
    services.cookies.delete(response, form.login_id)
    if isinstance(collected, CodeIssued) and collected.session_secret is not None:
        services.session_cookie.set(response, collected.session_secret)
    return response


def _return_path(request: AuthorizationRequest) -> ResponseTarget:
    return ResponseTarget(request.redirect_uri, request.response_mode, request.state)

"""The sample app's pages: a sign-in button, the callback, and the claims.

Sessions are in memory, one per browser. A login that another browser started is refused.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar
from urllib.parse import parse_qs, urljoin, urlsplit

from fastapi import Cookie, FastAPI, Request
from fastapi.responses import HTMLResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles
from jinja2 import Environment, FileSystemLoader
from starlette.responses import Response

from mobile_api.demo.relying_party import REFUSED, OpenIdConnect, PendingLogin, SignedIn

Page = TypeVar("Page", bound=Response)

HERE: Final = Path(__file__).parent

COOKIE: Final = "bookshop-session"
"""Session cookie. No ``__Host-`` prefix: it is served over plain HTTP on loopback."""

SESSION_LIMIT: Final = 1000
"""Sessions kept; the least recently used goes first."""

PENDING_LIMIT: Final = 8
"""Pending logins per session."""

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)

TIMES: Final = ("iat", "nbf", "exp", "auth_time")
"""Claims in seconds since 1970, also shown as dates; ``times.js`` writes them as readers do."""


@dataclass(slots=True)
class Session:
    """One browser: its pending logins and who is signed in."""

    pending: OrderedDict[str, PendingLogin] = field(default_factory=OrderedDict, repr=False)
    signed_in: SignedIn | None = field(default=None, repr=False)
    message: str = ""

    def keep(self, pending: PendingLogin) -> None:
        """Keep a login that began; the oldest one goes."""
        self.pending[pending.state] = pending
        while len(self.pending) > PENDING_LIMIT:
            self.pending.popitem(last=False)


class Sessions:
    """All sessions."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, cookie: str | None) -> tuple[str, Session]:
        """Return the session of a cookie, or a new one."""
        with self._lock:
            if cookie is None or cookie not in self._sessions:
                cookie = secrets.token_urlsafe(24)
                self._sessions[cookie] = Session()
            self._sessions.move_to_end(cookie)
            while len(self._sessions) > SESSION_LIMIT:
                self._sessions.popitem(last=False)
            return cookie, self._sessions[cookie]

    def end(self, subject: str) -> None:
        """Sign this user out in every browser."""
        with self._lock:
            for each in self._sessions.values():
                if each.signed_in and each.signed_in.claims["sub"] == subject:
                    each.signed_in, each.message = None, "Thenar has signed you out here."


def build_relying_party(provider: OpenIdConnect) -> FastAPI:
    """Build the app's pages."""
    app = FastAPI(title="Corner Bookshop", docs_url=None, redoc_url=None, openapi_url=None)
    app.mount("/static", StaticFiles(directory=HERE / "static", follow_symlink=True))
    sessions = Sessions()

    @app.get("/")
    def home(session: Annotated[str | None, Cookie(alias=COOKIE)] = None) -> HTMLResponse:
        """Show the button, or who is signed in."""
        name, mine = sessions.of(session)
        message, mine.message = mine.message, ""
        return _remember(HTMLResponse(render(mine.signed_in, message)), name)

    @app.get("/login")
    async def login(
        request: Request,
        *,
        again: bool = False,
        session: Annotated[str | None, Cookie(alias=COOKIE)] = None,
    ) -> RedirectResponse:
        """Send the browser to the provider; ``again`` asks for the same person."""
        if request.url.netloc != urlsplit(provider.redirect_uri).netloc:
            # The callback would come to a host that has no such cookie.
            return RedirectResponse(urljoin(provider.redirect_uri, "/login"))
        name, mine = sessions.of(session)
        subject = mine.signed_in.claims["sub"] if again and mine.signed_in else None
        pending = await provider.begin(subject=subject)
        mine.keep(pending)
        return _remember(RedirectResponse(pending.url, status_code=302), name)

    @app.get("/callback")
    async def callback(
        request: Request, session: Annotated[str | None, Cookie(alias=COOKIE)] = None
    ) -> RedirectResponse:
        """Finish a login that this browser began."""
        name, mine = sessions.of(session)
        await _finish(provider, mine, dict(request.query_params))
        return _remember(RedirectResponse("/", status_code=303), name)

    @app.get("/logout")
    def logout(session: Annotated[str | None, Cookie(alias=COOKIE)] = None) -> RedirectResponse:
        """Forget who is signed in here."""
        name, mine = sessions.of(session)
        mine.signed_in, mine.message = None, "You have signed out of the bookshop."
        return _remember(RedirectResponse("/", status_code=303), name)

    @app.post("/backchannel-logout")
    async def end(request: Request) -> Response:
        """Take a logout token. Back-Channel Logout 1.0 §2.8."""
        given = parse_qs((await request.body()).decode(errors="replace")).get("logout_token")
        try:
            sessions.end(await provider.ended(given[0] if given else ""))
        except REFUSED:
            return Response(status_code=400, headers={"Cache-Control": "no-store"})
        return Response(headers={"Cache-Control": "no-store"})

    return app


async def _finish(provider: OpenIdConnect, mine: Session, query: dict[str, str]) -> None:
    """Finish a login; the next page shows the result."""
    pending = mine.pending.pop(query.get("state", ""), None)
    if pending is None:
        mine.message = "This browser did not start that login."
        return
    try:
        mine.signed_in = await provider.finish(pending, query)
    except REFUSED as fault:
        end = "This sign-in changed nothing." if mine.signed_in else "You are not signed in."
        mine.message = f"{end} {fault}"


def render(signed_in: SignedIn | None, message: str) -> str:
    """Return the page's HTML."""
    pages = Environment(loader=FileSystemLoader(HERE / "templates"), autoescape=True)
    return pages.get_template("home.html").render(
        message=message,
        signed_in=signed_in,
        times=_times(signed_in.claims) if signed_in else {},
        header=_pretty(signed_in.header) if signed_in else "",
        claims=_pretty(signed_in.claims) if signed_in else "",
        userinfo=_pretty(signed_in.userinfo) if signed_in else "",
    )


def _times(claims: Any) -> dict[str, datetime]:  # noqa: ANN401 -- claims are whatever JSON came
    """Return the time claims as dates."""
    return {
        name: datetime.fromtimestamp(claims[name], UTC)
        for name in TIMES
        if isinstance(claims.get(name), int)
    }


def _pretty(value: object) -> str:
    """Return indented JSON."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def _remember(page: Page, name: str) -> Page:
    """Set the session cookie and security headers."""
    page.set_cookie(COOKIE, name, httponly=True, samesite="lax", path="/")
    page.headers["Content-Security-Policy"] = POLICY
    page.headers["Cache-Control"] = "no-store"
    page.headers["Referrer-Policy"] = "no-referrer"
    return page

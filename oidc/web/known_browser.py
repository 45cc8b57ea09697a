"""Who brings a request: what a browser says of itself, and what it is remembered by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oidc.login.user_agents import browser_of, system_of
from oidc.login.views import Visitor
from oidc.protocol.client_address import network_prefix
from oidc.protocol.identifiers import digest_of, new_secret
from oidc.types import BrowserDescription

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from oidc.web.cookies import LoginCookies

_NAME: Final = "thenar-browser"
_LENGTH: Final = len(new_secret())


class KnownBrowserCookie:
    """The cookie by which a browser is known again, and nobody in it.

    It holds random bits of its own. Only together with an account they tell whether a login was
    finished here before: then a new one there asks no confirmation code on risk.
    """

    def __init__(self, *, is_secure: bool, lifetime_s: int) -> None:
        self._is_secure = is_secure
        self._name = f"__Host-{_NAME}" if is_secure else _NAME
        self._lifetime_s = lifetime_s

    def read(self, request: Request) -> str | None:
        """Return what the cookie holds; None if it is missing or none of ours."""
        held = request.cookies.get(self._name, "")
        return held if len(held) == _LENGTH else None

    def set(self, response: Response, secret: str) -> None:
        """Give a browser its mark, or the one it has for longer."""
        response.set_cookie(
            self._name,
            secret,
            max_age=self._lifetime_s,
            path="/",
            secure=self._is_secure,
            httponly=True,
            samesite="lax",
        )


def origin_of(request: Request) -> BrowserDescription:
    """Return what a browser says of itself; where it is, by the address the server saw."""
    user_agent = request.headers.get("user-agent", "")
    address = None if request.client is None else request.client.host
    return BrowserDescription(
        browser_of(user_agent), system_of(user_agent), network_prefix(address)
    )


def visitor_of(request: Request, cookies: LoginCookies, mark: str) -> Visitor:
    """Return who brings this request."""
    return Visitor(origin_of(request), digest_of(mark), cookies.all(request.cookies))

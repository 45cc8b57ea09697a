"""What a request says about its browser, and the cookie that recognises a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oidc.login.user_agents import browser_of, system_of
from oidc.login.views import Visitor
from oidc.plumbing.client_address import network_prefix
from oidc.protocol.identifiers import digest_of, new_secret
from oidc.types import BrowserDescription

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from oidc.web.cookies.login_cookie import LoginCookies

_NAME: Final = "thenar-browser"
_LENGTH: Final = len(new_secret())


class KnownBrowserCookie:
    """A cookie that recognises a browser without naming a person.

    It holds random bits. Together with an account they tell that this browser finished a login
    before, so that a new one needs no confirmation code.
    """

    def __init__(self, *, is_secure: bool, lifetime_s: int) -> None:
        self._is_secure = is_secure
        self._name = f"__Host-{_NAME}" if is_secure else _NAME
        self._lifetime_s = lifetime_s

    def read(self, request: Request) -> str | None:
        """Return the cookie's value; None if missing or malformed."""
        value = request.cookies.get(self._name, "")
        return value if len(value) == _LENGTH else None

    def set(self, response: Response, secret: str) -> None:
        """Set or extend the cookie."""
        response.set_cookie(
            self._name,
            secret,
            max_age=self._lifetime_s,
            path="/",
            secure=self._is_secure,
            httponly=True,
            samesite="lax",
        )


def describe_browser(request: Request) -> BrowserDescription:
    """Return browser, system and network, from the User-Agent and the peer's address."""
    user_agent = request.headers.get("user-agent", "")
    address = None if request.client is None else request.client.host
    return BrowserDescription(
        browser_of(user_agent), system_of(user_agent), network_prefix(address)
    )


def visitor_of(request: Request, cookies: LoginCookies, mark: str) -> Visitor:
    """Return what is known about the request's browser."""
    return Visitor(describe_browser(request), digest_of(mark), cookies.all(request.cookies))

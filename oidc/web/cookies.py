"""The cookies: of a login, of the session, of a known browser, and of forms.

Each login has its own, so that logins in two tabs both finish. With the User-Agent they
describe the browser of a request: any program can send any User-Agent, so nothing is decided
by it (RFC 9110 §10.1.5).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from oidc.login.views import CreatedLogin, Visitor
from oidc.plumbing.client_address import network_prefix
from oidc.plumbing.cookies import host_name, set_cookie
from oidc.protocol import digest_of, is_identifier, new_secret
from oidc.types import BrowserDescription, BrowserSecret, LoginId
from oidc.web.paths import Paths

_BROWSERS: Final = (
    ("SamsungBrowser/", "Samsung Internet"),
    ("OPR/", "Opera"),
    ("Edg", "Edge"),
    ("FxiOS/", "Firefox"),
    ("Firefox/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Chromium/", "Chrome"),
    ("Safari/", "Safari"),
)
"""First match wins: most of them also say Chrome and Safari."""

_SYSTEMS: Final = (
    ("Android", "Android"),
    ("iPhone", "iOS"),
    ("iPad", "iOS"),
    ("Windows", "Windows"),
    ("CrOS", "ChromeOS"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)

_HANDHELD: Final = frozenset({"Android", "iOS"})


def browser_of(user_agent: str) -> str | None:
    """Return the browser's family, or None."""
    return _first(_BROWSERS, user_agent)


def system_of(user_agent: str) -> str | None:
    """Return the operating system's family, or None."""
    return _first(_SYSTEMS, user_agent)


def is_handheld(user_agent: str) -> bool:
    """Return whether it looks like a phone or tablet."""
    return system_of(user_agent) in _HANDHELD


def _first(table: tuple[tuple[str, str], ...], text: str) -> str | None:
    return next((name for mark, name in table if mark in text), None)


V = TypeVar("V", bound=str)

_LENGTH: Final = len(new_secret())


@dataclass(frozen=True, slots=True)
class SecretCookie(Generic[V]):
    """One cookie of a browser, with a random secret.

    Attributes:
        kind: makes the secret of what was read.
        lifetime_s: None: until the browser closes.
    """

    name: str
    kind: Callable[[str], V]
    is_secure: bool
    lifetime_s: int | None

    def read(self, cookies: Mapping[str, str]) -> V | None:
        """Return the secret; None if it is missing or malformed."""
        value = cookies.get(host_name(self.name, is_secure=self.is_secure), "")
        return self.kind(value) if len(value) == _LENGTH else None

    def set(self, response: Response, secret: V) -> None:
        """Set or extend the cookie."""
        self._set(response, secret, self.lifetime_s)

    def delete(self, response: Response) -> None:
        """Delete the cookie."""
        self._set(response, "", 0)

    def _set(self, response: Response, value: str, lifetime_s: int | None) -> None:
        name = host_name(self.name, is_secure=self.is_secure)
        set_cookie(response, name, value, lifetime_s, is_secure=self.is_secure)


def is_same_origin_form(request: Request, paths: Paths) -> bool:
    """Return whether the form was submitted by our own page, as far as the browser says.

    Second to the cookies' ``SameSite`` (OWASP ASVS 5.0, 3.5.1).
    """
    origin = request.headers.get("origin")
    site = request.headers.get("sec-fetch-site", "same-origin")
    return site in ("same-origin", "none") and origin in (None, paths.auth_origin)


_PREFIX: Final = "thenar-login-"
_MAX_LOGINS: Final = 8
"""Login cookies kept per browser; older logins have expired."""


class LoginCookies:
    """Sets, reads and deletes login cookies."""

    def __init__(self, *, is_secure: bool, lifetime_s: int) -> None:
        self._is_secure = is_secure
        self._prefix = host_name(_PREFIX, is_secure=is_secure)
        self._lifetime_s = lifetime_s

    def set(self, response: Response, opened: CreatedLogin, present: Mapping[str, str]) -> None:
        """Set the cookie of a new login; delete the oldest beyond the maximum."""
        self._set(response, self._prefix + opened.login_id, opened.browser_secret)
        ours = [name for name in present if is_identifier(self._login_in(name))]
        for name in ours[: max(0, len(ours) + 1 - _MAX_LOGINS)]:
            self._set(response, name, "", lifetime_s=0)

    def read(self, cookies: Mapping[str, str], login_id: LoginId) -> BrowserSecret:
        """Return the browser's secret; empty, and never valid, if missing."""
        return BrowserSecret(cookies.get(self._prefix + login_id, ""))

    def all(self, cookies: Mapping[str, str]) -> dict[LoginId, BrowserSecret]:
        """Return the browser's secrets of all its logins."""
        found = {LoginId(self._login_in(name)): value for name, value in cookies.items()}
        return {name: BrowserSecret(value) for name, value in found.items() if name}

    def _login_in(self, name: str) -> str:
        """Return the login id in a cookie name; empty if it is not a login cookie."""
        return name.removeprefix(self._prefix) if name.startswith(self._prefix) else ""

    def delete(self, response: Response, login_id: LoginId) -> None:
        """Delete the cookie of a finished login."""
        self._set(response, self._prefix + login_id, "", lifetime_s=0)

    def _set(
        self, response: Response, name: str, value: str, lifetime_s: int | None = None
    ) -> None:
        lasts_s = self._lifetime_s if lifetime_s is None else lifetime_s
        set_cookie(response, name, value, lasts_s, is_secure=self._is_secure)


def describe_browser(request: Request) -> BrowserDescription:
    """Return browser, system and network, from the User-Agent and the peer's address."""
    user_agent = request.headers.get("user-agent", "")
    address = None if request.client is None else request.client.host
    return BrowserDescription(
        browser_of(user_agent), system_of(user_agent), network_prefix(address)
    )


def visitor_of(
    request: Request, cookies: LoginCookies, mark: str, station: str | None
) -> Visitor:
    """Return what is known about the request's browser."""
    return Visitor(
        describe_browser(request),
        digest_of(mark),
        None if station is None else digest_of(station),
        cookies.all(request.cookies),
    )

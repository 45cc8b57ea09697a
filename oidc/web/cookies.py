"""The cookie of a login: one per login, so that two tabs of two clients both finish.

On https its name begins with ``__Host-``: no other host, not even a subdomain, can set it
(RFC 6265bis §4.1.3.2). On plain http, which exists on loopback only, browsers refuse that
prefix.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oidc.protocol.identifiers import is_identifier
from oidc.types import BrowserSecret, LoginId

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.responses import Response

    from oidc.login.views import CreatedLogin

_PREFIX: Final = "thenar-login-"
_MAX_LOGINS: Final = 8
"""Logins of one browser whose cookies are kept; older ones could not be finished anyway."""


class LoginCookies:
    """Gives, reads and takes back the cookies of logins."""

    def __init__(self, *, is_secure: bool, lifetime_s: int) -> None:
        self._is_secure = is_secure
        self._prefix = f"__Host-{_PREFIX}" if is_secure else _PREFIX
        self._lifetime_s = lifetime_s

    def set(self, response: Response, opened: CreatedLogin, present: Mapping[str, str]) -> None:
        """Give the browser its half of a new login; take back what piled up before."""
        self._set(response, self._prefix + opened.login_id, opened.browser_secret)
        ours = [name for name in present if is_identifier(self._login_in(name))]
        for name in ours[: max(0, len(ours) + 1 - _MAX_LOGINS)]:
            self._set(response, name, "", lifetime_s=0)

    def read(self, cookies: Mapping[str, str], login_id: LoginId) -> BrowserSecret:
        """Return the browser's half; an empty one, which opens nothing, if it is missing."""
        return BrowserSecret(cookies.get(self._prefix + login_id, ""))

    def all(self, cookies: Mapping[str, str]) -> dict[LoginId, BrowserSecret]:
        """Return the browser's halves of every login whose cookie it still has."""
        found = {LoginId(self._login_in(name)): value for name, value in cookies.items()}
        return {name: BrowserSecret(value) for name, value in found.items() if name}

    def _login_in(self, name: str) -> str:
        """Return which login a cookie is of; nothing if it is none of ours."""
        return name.removeprefix(self._prefix) if name.startswith(self._prefix) else ""

    def delete(self, response: Response, login_id: LoginId) -> None:
        """Delete the cookie of a finished login."""
        self._set(response, self._prefix + login_id, "", lifetime_s=0)

    def _set(
        self, response: Response, name: str, value: str, lifetime_s: int | None = None
    ) -> None:
        response.set_cookie(
            name,
            value,
            max_age=self._lifetime_s if lifetime_s is None else lifetime_s,
            path="/",
            secure=self._is_secure,
            httponly=True,
            samesite="lax",
        )

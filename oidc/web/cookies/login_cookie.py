"""Login cookies: one per login, so that logins in two tabs both finish."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oidc.plumbing.cookies import host_name, set_cookie
from oidc.protocol.identifiers import is_identifier
from oidc.types import BrowserSecret, LoginId

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.responses import Response

    from oidc.login.views import CreatedLogin

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

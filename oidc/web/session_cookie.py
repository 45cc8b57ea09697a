"""The cookie of a browser's session: one per browser, while a palm is remembered.

As with the cookies of logins, its name begins with ``__Host-`` on https (RFC 6265bis §4.1.3.2).
``SameSite=Lax``: it comes with a visit to us, not with a form that another website posts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oidc.types import SessionSecret

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.responses import Response

_NAME: Final = "thenar-session"


class SessionCookie:
    """Gives, reads and takes back the cookie of a session."""

    def __init__(self, *, is_secure: bool, lifetime_s: int) -> None:
        self._is_secure = is_secure
        self._name = f"__Host-{_NAME}" if is_secure else _NAME
        self._lifetime_s = lifetime_s

    def set(self, response: Response, secret: SessionSecret | None) -> None:
        """Give the browser a new secret, if there is one."""
        if secret is not None:
            self._set(response, secret, self._lifetime_s)

    def read(self, cookies: Mapping[str, str]) -> SessionSecret | None:
        """Return what the browser shows; None if it shows nothing."""
        value = cookies.get(self._name)
        return SessionSecret(value) if value else None

    def delete(self, response: Response) -> None:
        """Delete the cookie."""
        self._set(response, "", 0)

    def _set(self, response: Response, value: str, lifetime_s: int) -> None:
        response.set_cookie(
            self._name,
            value,
            max_age=lifetime_s,
            path="/",
            secure=self._is_secure,
            httponly=True,
            samesite="lax",
        )

"""Session cookie: one per browser, while a palm need not be shown again.

Named ``__Host-`` on https, like the login cookies. ``SameSite=Lax``: it is sent when a
person comes to us, not with another website's form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oidc.types import SessionSecret

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.responses import Response

_NAME: Final = "thenar-session"


class SessionCookie:
    """Sets, reads and deletes the session cookie."""

    def __init__(self, *, is_secure: bool, lifetime_s: int) -> None:
        self._is_secure = is_secure
        self._name = f"__Host-{_NAME}" if is_secure else _NAME
        self._lifetime_s = lifetime_s

    def set(self, response: Response, secret: SessionSecret | None) -> None:
        """Set a new secret, if there is one."""
        if secret is not None:
            self._set(response, secret, self._lifetime_s)

    def read(self, cookies: Mapping[str, str]) -> SessionSecret | None:
        """Return the secret, or None."""
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

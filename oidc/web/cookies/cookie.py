"""Cookies of this host alone, hidden from scripts.

On https the name begins with ``__Host-``, so that no other host can set it (RFC 6265bis
§4.1.3.2). Browsers refuse that prefix on plain http, which is for loopback only.
``SameSite=Lax``: sent when a person comes to us, not with another website's form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from oidc.protocol.identifiers import new_secret

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from oidc.web.paths import Paths


V = TypeVar("V", bound=str)

_LENGTH: Final = len(new_secret())


def host_name(name: str, *, is_secure: bool) -> str:
    """Return the name of a cookie that only this host can set."""
    return f"__Host-{name}" if is_secure else name


def set_cookie(
    response: Response, name: str, value: str, lifetime_s: int | None, *, is_secure: bool
) -> None:
    """Set a cookie until the browser closes, or for a time; 0 deletes it."""
    response.set_cookie(
        name,
        value,
        max_age=lifetime_s,
        path="/",
        secure=is_secure,
        httponly=True,
        samesite="lax",
    )


@dataclass(frozen=True, slots=True)
class SecretCookie(Generic[V]):
    """One cookie of a browser, with a random secret.

    Attributes:
        kind: makes the secret of what was read.
    """

    name: str
    kind: Callable[[str], V]
    is_secure: bool
    lifetime_s: int

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

    def _set(self, response: Response, value: str, lifetime_s: int) -> None:
        name = host_name(self.name, is_secure=self.is_secure)
        set_cookie(response, name, value, lifetime_s, is_secure=self.is_secure)


def is_same_origin_form(request: Request, paths: Paths) -> bool:
    """Tell whether the form was submitted by our own page, as far as the browser says.

    Second to the cookies' ``SameSite`` (OWASP ASVS 5.0, 3.5.1).
    """
    origin = request.headers.get("origin")
    site = request.headers.get("sec-fetch-site", "same-origin")
    return site in ("same-origin", "none") and origin in (None, paths.auth_origin)

"""Cookies with one secret of a browser, and forms of our own pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from oidc.plumbing.cookies import host_name, set_cookie
from oidc.protocol.identifiers import new_secret

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from oidc.web.paths import Paths


V = TypeVar("V", bound=str)

_LENGTH: Final = len(new_secret())


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
    """Return whether the form was submitted by our own page, as far as the browser says.

    Second to the cookies' ``SameSite`` (OWASP ASVS 5.0, 3.5.1).
    """
    origin = request.headers.get("origin")
    site = request.headers.get("sec-fetch-site", "same-origin")
    return site in ("same-origin", "none") and origin in (None, paths.auth_origin)

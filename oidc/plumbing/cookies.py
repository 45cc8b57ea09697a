"""Cookies of this host alone, hidden from scripts.

On https the name begins with ``__Host-``, so that no other host can set it (RFC 6265bis
§4.1.3.2). Browsers refuse that prefix on plain http, which is for loopback only.
``SameSite=Lax``: sent when a person comes to us, not with another website's form.
"""

from typing import Final

from starlette.responses import Response

STATION_COOKIE: Final = "thenar-station"
"""Of a browser that is a station: mobile_api sets it, the provider keeps its digest."""

STATION_COOKIE_S: Final = 400 * 86_400
"""Browsers keep none for longer. RFC 6265bis §5.5."""


def host_name(name: str, *, is_secure: bool) -> str:
    """Return the name of a cookie that only this host can set."""
    return f"__Host-{name}" if is_secure else name


def set_cookie(
    response: Response,
    name: str,
    value: str,
    lifetime_s: int | None,
    *,
    is_secure: bool,
    path: str = "/",
) -> None:
    """Set a cookie until the browser closes, or for a time; 0 deletes it."""
    response.set_cookie(
        name,
        value,
        max_age=lifetime_s,
        path=path,
        secure=is_secure,
        httponly=True,
        samesite="lax",
    )

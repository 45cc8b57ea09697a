"""CSRF check: tells our own forms from other websites'."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.requests import Request

    from oidc.web.paths import Paths


def is_same_origin_form(request: Request, paths: Paths) -> bool:
    """Tell whether the form was submitted by our own page, as far as the browser says.

    Second to the cookies' ``SameSite`` (OWASP ASVS 5.0, 3.5.1).
    """
    origin = request.headers.get("origin")
    site = request.headers.get("sec-fetch-site", "same-origin")
    return site in ("same-origin", "none") and origin in (None, paths.auth_origin)

"""Telling our own forms from those of other websites."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.requests import Request

    from oidc.web.paths import Paths


def is_same_origin_form(request: Request, paths: Paths) -> bool:
    """Tell whether no other website submitted this form, as far as the browser says.

    The cookies' ``SameSite`` is the first lock; this is the second (OWASP ASVS 5.0, 3.5.1).
    """
    origin = request.headers.get("origin")
    site = request.headers.get("sec-fetch-site", "same-origin")
    return site in ("same-origin", "none") and origin in (None, paths.auth_origin)

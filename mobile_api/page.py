"""The page behind the QR code: what this link is, and how to answer it today."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from fastapi import APIRouter
from fastapi.responses import FileResponse

from mobile_api.messages import PAGE_PREFIX

STATIC: Final = Path(__file__).with_name("static")

HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
}
"""The ticket is in the fragment: nothing on this page may carry it anywhere."""

router: Final = APIRouter(prefix=PAGE_PREFIX, include_in_schema=False)


@router.get("")
def page() -> FileResponse:
    """Show the page."""
    return FileResponse(STATIC / "m.html", headers=HEADERS)


@router.get("/m.js")
def script() -> FileResponse:
    """Give the page's script."""
    return FileResponse(STATIC / "m.js", headers=HEADERS)


@router.get("/m.css")
def style() -> FileResponse:
    """Give the page's style."""
    return FileResponse(STATIC / "m.css", headers=HEADERS)

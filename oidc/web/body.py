"""Reads request bodies up to a limit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from starlette.requests import ClientDisconnect

if TYPE_CHECKING:
    from starlette.requests import Request

BODY_BYTES: Final = 16_384
"""Maximum size of a form; a legitimate form has up to about 3,000 bytes."""

FORM: Final = "application/x-www-form-urlencoded"


async def read_body(request: Request, limit_bytes: int = BODY_BYTES) -> bytes | None:
    """Return the body; None if it is too long or the client disconnects."""
    body = bytearray()
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > limit_bytes:
                return None
    except ClientDisconnect:
        return None
    return bytes(body)


def is_form(request: Request) -> bool:
    """Tell whether the body is a form, in any character set."""
    media_type = request.headers.get("content-type", "").partition(";")[0]
    return media_type.strip().lower() == FORM


async def read_form(request: Request) -> str | None:
    """Return the text of a form body; None if it is not a form, too long or not ASCII."""
    body = await read_body(request) if is_form(request) else None
    return body.decode("ascii") if body is not None and body.isascii() else None

"""Reading request bodies under a limit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from starlette.requests import Request

BODY_BYTES: Final = 16_384
"""Longest body of a form; the longest honest one has about 3,000 bytes."""


async def read_body(request: Request) -> bytes | None:
    """Return the body; None if it is too long. Stops reading where the limit is passed."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > BODY_BYTES:
            return None
    return bytes(body)

"""The budget of bytes for request bodies in one process.

A body that needs memory takes it from the one that has been arriving for the longest time: an
honest phone sends its picture in a second, and who holds bytes back loses the place first.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
from starlette.requests import ClientDisconnect, Request

from mobile_api.errors import BodyIncomplete, BodyTooLarge, ServiceBusy


@dataclass(eq=False, slots=True)
class _Body:
    """A body that arrives, or is being used."""

    chunks: list[bytes] = field(default_factory=list)
    size_bytes: int = 0
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)


class BodyBudget:
    """Reads bodies while all of them fit. Used in one event loop."""

    def __init__(self, most_bytes: int) -> None:
        self._free_bytes = most_bytes
        self._arriving: dict[_Body, None] = {}

    @asynccontextmanager
    async def read(self, request: Request, limit_bytes: int) -> AsyncIterator[bytes]:
        """Read a body; its memory is reserved until the end of the context.

        Raises BodyTooLarge, BodyIncomplete, or ServiceBusy if others needed its memory.
        """
        body = _Body()
        self._arriving[body] = None
        try:
            with body.scope:
                await self._fill(body, request, limit_bytes)
            if body.scope.cancelled_caught:
                raise ServiceBusy("the body came too slowly, and others needed its memory")
            self._arriving.pop(body)
            whole, body.chunks = b"".join(body.chunks), []
            yield whole
        finally:
            self._arriving.pop(body, None)
            self._give_back(body)

    async def _fill(self, body: _Body, request: Request, limit_bytes: int) -> None:
        too_large = BodyTooLarge(f"the body has over {limit_bytes} bytes")
        length = request.headers.get("content-length", "0")
        if not length.isdecimal():
            raise BodyIncomplete("the body's length is no number")
        if int(length) > limit_bytes:
            raise too_large
        try:
            async for chunk in request.stream():
                if body.size_bytes + len(chunk) > limit_bytes:
                    raise too_large
                self._take(body, len(chunk))
                body.chunks.append(chunk)
        except ClientDisconnect:
            raise BodyIncomplete("the body ended too soon: send it again") from None

    def _take(self, body: _Body, size_bytes: int) -> None:
        """Reserve memory for a chunk, from the oldest of the others if there is none."""
        while size_bytes > self._free_bytes:
            oldest = next((each for each in self._arriving if each is not body), None)
            if oldest is None:
                raise ServiceBusy("too many bodies are being read: try again in a moment")
            self._arriving.pop(oldest)
            oldest.scope.cancel()
            self._give_back(oldest)
        self._free_bytes -= size_bytes
        body.size_bytes += size_bytes

    def _give_back(self, body: _Body) -> None:
        self._free_bytes += body.size_bytes
        body.size_bytes, body.chunks = 0, []

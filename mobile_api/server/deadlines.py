"""Closes connections of clients that send nothing, or half of something.

uvicorn closes a kept connection that stays idle for ``KEPT_S`` after a response. It waits for
ever for a first request, for the rest of a head, and for the rest of a body. Each connection
stays under these deadlines: it is HTTP/1 until it ends (``request_parser.py``).
"""

from __future__ import annotations

from asyncio import BaseTransport
from typing import Any, Final, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from mobile_api.server.request_parser import RequestParser

KEPT_S: Final = 75
"""Proxies have to close first, so that no request meets a closing connection: 60 s is usual."""

HEAD_S: Final = 8.0
"""From the connection, or the first data of a later request, to the end of its head."""

STALL_S: Final = 8.0
"""Longest pause within a body."""

BODY_S: Final = 60.0
"""From the end of a head to the end of its body: 12 MB at 1.6 Mbit/s."""

LAST_S: Final = 0.5
"""How long a kept connection may bring one more request when the server stops."""


class DeadlineProtocol(HttpToolsProtocol):
    """A connection that knows whether its client is late."""

    _stops = False

    def connection_made(self, transport: BaseTransport) -> None:
        """Wait for the first head."""
        self._since_s = self._heard_s = self.loop.time()
        self.parser = RequestParser(self)  # type: ignore[assignment]
        super().connection_made(cast("Any", transport))

    def data_received(self, data: bytes) -> None:
        """Note that the client sends; after an idle time it is a head."""
        self._heard_s = self.loop.time()
        if self._is_kept():
            self._since_s = self._heard_s
        super().data_received(data)

    def on_headers_complete(self) -> None:
        """Wait for the body."""
        if self.parser.should_upgrade():
            return
        self._since_s = self.loop.time()
        super().on_headers_complete()
        self.headers = []  # a trailer is not a header of the request (RFC 9110 §6.5)
        if self._stops or self.expect_100_continue:  # its client may leave the body out
            self.cycle.keep_alive = False

    def on_message_complete(self) -> None:
        """Pass the end of the body on, except for a head that is parsed a second time."""
        if not self.parser.should_upgrade():
            super().on_message_complete()

    def on_response_complete(self) -> None:
        """Wait for what is left of this body, or let the connection be idle."""
        self._since_s = self.loop.time()
        super().on_response_complete()

    def shutdown(self) -> None:
        """Answer what is on its way, and say that it is the last; then close."""
        self._stops = True
        if self.cycle is not None:
            self.cycle.keep_alive = False
        self.loop.call_later(LAST_S, super().shutdown)

    def close_if_late(self) -> None:
        """Close the connection if its client had its time."""
        if self._is_late(self.loop.time()):
            self.transport.close()

    def _is_kept(self) -> bool:
        """Return whether the connection is kept open after a whole request and response."""
        return self.timeout_keep_alive_task is not None and not self.cycle.more_body

    def _is_late(self, now_s: float) -> bool:
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is None or cycle.response_complete:
            return now_s - self._since_s > HEAD_S and not self._is_kept()
        if not cycle.more_body or self.flow.read_paused:
            return False  # we are late, not the client
        return now_s - self._heard_s > STALL_S or now_s - self._since_s > BODY_S

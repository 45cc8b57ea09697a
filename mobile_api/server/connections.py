"""Connections of the HTTP server: what is a request, and how long a client may take.

Connections of clients that send nothing, or half of something, are closed. uvicorn closes a
kept connection that stays idle for ``KEPT_S`` after a response. It waits for ever for a first
request, for the rest of a head, and for the rest of a body. Each connection stays under these
deadlines: it is HTTP/1 until it ends.

A head takes memory before any application sees it, so ``OVERHEAD_BYTES`` bound it. They count
everything that is no body: heads, chunk extensions and trailers.

Requests are parsed with llhttp (httptools), and offers of another protocol are ignored. llhttp
stops after a head with ``Upgrade`` and ``Connection: upgrade``, because the next bytes may
belong to the other protocol. uvicorn continues with HTTP there and reads the request's body as
the next request (Kludex/uvicorn#2722). A server may ignore an offer (RFC 9110 §7.8), so this
parser parses such a head a second time, without the offer. llhttp itself decides which heads
offer, so no spelling is overlooked.
"""

import re
from asyncio import BaseTransport
from typing import Any, Final, Protocol, cast

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser
from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

OFFER = b"upgrade"


class Callbacks(Protocol):
    """The parser's callbacks. It keeps the head's target and headers, names in lower case."""

    url: bytes
    headers: list[tuple[bytes, bytes]]


class RequestParser:
    """An ``httptools.HttpRequestParser`` for which no request offers an upgrade.

    The callbacks ``on_headers_complete`` and ``on_message_complete`` must return at once while
    ``should_upgrade()`` is true: this head is parsed a second time.
    """

    def __init__(self, callbacks: Callbacks) -> None:
        self._callbacks = callbacks
        self._llhttp = self._start()

    def feed_data(self, data: bytes) -> None:
        """Parse what was received.

        Raises:
            HttpParserError: it is not HTTP/1, or its method is ``CONNECT``.
        """
        rest = memoryview(data)
        while rest:
            try:
                self._llhttp.feed_data(rest)
                return
            except HttpParserUpgrade as offer:
                rest = rest[offer.args[0] :]
            self._parse_without_offer()

    def get_method(self) -> bytes:
        """Return the method of the request that is parsed."""
        return self._llhttp.get_method()

    def get_http_version(self) -> str:
        """Return ``1.1`` or ``1.0``."""
        return self._llhttp.get_http_version()

    def should_keep_alive(self) -> bool:
        """Return whether the client may send another request after this one."""
        return self._llhttp.should_keep_alive()

    def should_upgrade(self) -> bool:
        """Return whether this head is parsed a second time."""
        return self._llhttp.should_upgrade()

    def _parse_without_offer(self) -> None:
        head = self._head_without_offer()
        self._llhttp = self._start()  # the other one reads nothing after an offer to close
        try:
            self._llhttp.feed_data(head)
        except HttpParserUpgrade:
            raise HttpParserError("CONNECT is not supported") from None

    def _head_without_offer(self) -> bytes:
        """Write the head as parsed: llhttp refuses folded lines, CR and LF in a value."""
        version = self.get_http_version().encode("ascii")
        start = b"%s %s HTTP/%s" % (self.get_method(), self._callbacks.url, version)
        kept = [header for header in self._callbacks.headers if header[0] != OFFER]
        return b"\r\n".join([start, *(b"%s: %s" % header for header in kept), b"", b""])

    def _start(self) -> HttpRequestParser:
        parser = HttpRequestParser(self._callbacks)
        # As uvicorn has it: what follows a request that ends the connection is passed over.
        parser.set_dangerous_leniencies(lenient_data_after_close=True)
        return parser


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

OVERHEAD_BYTES: Final = 32 * 1024
"""Of a head, a chunk extension or a trailer; more is refused."""

_PIECE_BYTES: Final = 4 * 1024
"""Parsed before the overhead is counted again."""

HOST: Final = re.compile(rb"(\[[0-9a-fA-F:.]+\]|[\w.~%!$&'()*+,;=-]+)(:\d*)?", re.ASCII)
"""RFC 3986 §3.2.2; no IPvFuture, and not empty (RFC 9110 §4.2.1)."""


_LAST_ANSWER: Final = b"content-length: 0\r\nconnection: close\r\n\r\n"


class DeadlineProtocol(HttpToolsProtocol):
    """A connection that knows whether its client is late, or sends too much."""

    _stops = False
    _overhead_bytes = 0

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
        for start in range(0, len(data), _PIECE_BYTES):
            piece = data[start : start + _PIECE_BYTES]
            self._overhead_bytes += len(piece)
            super().data_received(piece)
            if self.transport.is_closing():
                return
            if self._overhead_bytes > OVERHEAD_BYTES:
                self._refuse_overhead()
                return

    def _refuse_overhead(self) -> None:
        """RFC 6585 §5. A request that the application has already is cut off."""
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is None or cycle.response_complete:
            self.transport.write(STATUS_LINE[431] + _LAST_ANSWER)
        self.transport.close()

    def on_body(self, body: bytes) -> None:
        """Pass a part of the body on."""
        self._overhead_bytes = 0
        super().on_body(body)

    def on_headers_complete(self) -> None:
        """Wait for the body. Raises ``HttpParserError``: no host, or several. RFC 9112 §3.2."""
        if self.parser.should_upgrade():
            return
        hosts = [value for name, value in self.headers if name == b"host"]
        least = 0 if self.parser.get_http_version() == "1.0" else 1
        if not least <= len(hosts) <= 1 or not all(map(HOST.fullmatch, hosts)):
            raise HttpParserError("no host, or several")
        self._overhead_bytes = 0
        self._since_s = self.loop.time()
        super().on_headers_complete()
        self.headers = []  # a trailer is not a header of the request (RFC 9110 §6.5)
        if self._stops or self.expect_100_continue:  # its client may leave the body out
            self.cycle.keep_alive = False

    def on_message_complete(self) -> None:
        """Pass the end of the body on, except for a head that is parsed a second time."""
        if not self.parser.should_upgrade():
            self._overhead_bytes = 0
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

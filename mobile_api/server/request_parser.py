"""Parses requests with llhttp (httptools) and ignores offers of another protocol.

llhttp stops after a head with ``Upgrade`` and ``Connection: upgrade``, because the next bytes
may belong to the other protocol. uvicorn continues with HTTP there and reads the request's body
as the next request (Kludex/uvicorn#2722). A server may ignore an offer (RFC 9110 §7.8), so this
parser parses such a head a second time, without the offer. llhttp itself decides which heads
offer, so no spelling is overlooked.
"""

from __future__ import annotations

from typing import Protocol

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser

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

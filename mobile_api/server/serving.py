"""Runs the HTTP server and stops it in order.

On SIGTERM it accepts no more connections, ends event streams at once, so that their pages
reconnect to another process, finishes running requests for up to ``SHUTDOWN_S``, and leaves
with status 0 through every ``finally``: uvicorn alone would raise the signal again, which ends
a process before its last traces are exported.

Connections of clients that send nothing, or half of something, are closed. uvicorn closes a
kept connection that stays idle for ``KEPT_S`` after a response. It waits for ever for a first
request, for the rest of a head, and for the rest of a body. Each connection stays under these
deadlines: it is HTTP/1 until it ends.

Requests are parsed with llhttp (httptools), and offers of another protocol are ignored. llhttp
stops after a head with ``Upgrade`` and ``Connection: upgrade``, because the next bytes may
belong to the other protocol. uvicorn continues with HTTP there and reads the request's body as
the next request (Kludex/uvicorn#2722). A server may ignore an offer (RFC 9110 §7.8), so this
parser parses such a head a second time, without the offer. llhttp itself decides which heads
offer, so no spelling is overlooked.
"""

import asyncio
import gc
import signal
import socket
import sys
import threading
from asyncio import BaseTransport
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol, cast

import uvicorn
from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from mobile_api.errors import SettingsFault
from mobile_api.server.error_responses import ResponseStart

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


SHUTDOWN_S: Final = 25
"""Limit of running requests at shutdown: a picture may wait 20 s, orchestrators kill at 30."""


TICKS: Final = 10
"""uvicorn's ticks in a second."""

GARBAGE_AFTER: Final = 20_000
"""New objects until garbage is looked for: a request makes hundreds, and few in cycles."""

RETRY_AFTER_S: Final = 2
"""Retry-After of a request cut off at shutdown."""


TLS_1_2_CIPHERS: Final = ":".join(
    f"ECDHE-{key}-{cipher}"
    for cipher in ("AES128-GCM-SHA256", "AES256-GCM-SHA384")
    for key in ("ECDSA", "RSA")
)
"""FAPI 2.0 §5.2.2: those of BCP 195 (RFC 9325 §4.2). TLS 1.3 has its own."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a server listens.

    Attributes:
        certificate: PEM file with a private key and its certificate; None: plain HTTP.
    """

    host: str
    port: int
    certificate: Path | None = None


@dataclass(frozen=True, slots=True)
class ServedApp:
    """An application, and ``stop``, which ends long-lived responses at shutdown."""

    app: ASGIApp
    stop: Callable[[], None]


class ShutdownResponse:
    """Responds 503 with Retry-After to requests cancelled at shutdown."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        tracked = ResponseStart(send)
        try:
            await self._app(scope, receive, tracked)
        except asyncio.CancelledError:
            if tracked.has_started or scope["type"] != "http":
                raise
            headers = {"Retry-After": str(RETRY_AFTER_S), "Cache-Control": "no-store"}
            await Response(status_code=503, headers=headers)(scope, receive, send)


def require_port_free(host: str, port: int) -> None:
    """Check that the address can be listened on.

    Raises:
        SettingsFault: it is taken, not local, or not allowed.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.create_server((host, port), family=family).close()
    except OSError as fault:
        reason = (fault.strerror or "not an address of this machine").lower()
        raise SettingsFault(f"cannot listen on {host}, port {port}: {reason}") from None


class Server(uvicorn.Server):
    """A uvicorn server that tells its application when it stops."""

    def __init__(
        self,
        served: ServedApp,
        place: Place,
        trusted_proxies: str,
        connections_limit: int | None = None,
        shutdown_s: int = SHUTDOWN_S,
    ) -> None:
        # No access log of uvicorn's: a path may contain what must not be logged.
        config = uvicorn.Config(
            ShutdownResponse(served.app),
            host=place.host,
            port=place.port,
            ssl_certfile=place.certificate,
            ssl_ciphers=TLS_1_2_CIPHERS,
            log_config=None,
            log_level="info",
            access_log=False,
            server_header=False,
            forwarded_allow_ips=trusted_proxies,
            http=DeadlineProtocol,
            ws="none",
            timeout_keep_alive=KEPT_S,
            limit_concurrency=connections_limit,
            timeout_graceful_shutdown=shutdown_s,
        )
        super().__init__(config)
        self._stop = served.stop

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until stopped.

        Freezes the loaded objects: collecting garbage among them stalls requests for 0.1 s.
        """
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # uvicorn raises it at its end
        gc.collect()
        gc.freeze()
        gc.set_threshold(GARBAGE_AFTER)
        try:
            super().run(sockets)
        finally:
            gc.unfreeze()

    async def on_tick(self, counter: int) -> bool:
        """Once a second, close the connections of late clients."""
        if counter % TICKS == 0:
            for connection in list(self.server_state.connections):
                if isinstance(connection, DeadlineProtocol):
                    connection.close_if_late()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End long-lived responses, then wait for the rest."""
        self._stop()
        await super().shutdown(sockets)

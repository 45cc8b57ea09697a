"""Runs the HTTP server and stops it in order.

On SIGTERM it accepts no more connections and ends event streams at once, so that their pages
reconnect to another process. It finishes running requests for up to ``SHUTDOWN_S``, and leaves
with status 0 through every ``finally``. uvicorn alone would raise the signal again, which ends
a process before its last lines are written.
"""

import asyncio
import gc
import logging
import signal
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from email.utils import formatdate
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Final

import uvicorn
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from mobile_api.errors import SettingsFault
from mobile_api.server.config_file import ENVIRONMENT
from mobile_api.server.connections import KEPT_S, DeadlineProtocol
from mobile_api.server.error_responses import ResponseStart
from mobile_api.types import Clock
from oidc.types import utc_now

SHUTDOWN_S: Final = 25
"""Limit of running requests at shutdown: a picture may wait 20 s, orchestrators kill at 30."""


TICK_S: Final = 1.0
"""Between two looks at late clients; uvicorn's own wakes an idle process ten times as often."""

GARBAGE_AFTER: Final = 20_000
"""New objects until garbage is looked for: a request makes hundreds, and few in cycles."""

LOGGER: Final = logging.getLogger("uvicorn.error")

RETRY_AFTER_S: Final = 2
"""Retry-After of a request cut off at shutdown, or of one too many."""


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
    """An application, ``stop``, which ends long-lived responses at shutdown, and its clock."""

    app: ASGIApp
    stop: Callable[[], None]
    clock: Clock = utc_now


GET_CHANGES: Final = ("/oauth/authorize", "/oauth/logout", "/callback")
"""Ends of the paths whose GET changes something: they answer HEAD, or refuse it, themselves."""


class OutermostApp:
    """The first to see a request: 503 at shutdown and to one too many.

    HEAD is a GET whose body uvicorn leaves out, but where a GET changes something. RFC 9110
    §9.2.1, §9.3.2.
    """

    def __init__(self, app: ASGIApp, is_full: Callable[[], bool]) -> None:
        self._app, self._is_full = app, is_full

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        tracked = ResponseStart(send)
        if scope["method"] == "HEAD" and not scope["path"].endswith(GET_CHANGES):
            scope = {**scope, "method": "GET"}
        try:
            if self._is_full():
                LOGGER.warning("Exceeded concurrency limit.")
                raise asyncio.CancelledError
            await self._app(scope, receive, tracked)
        except asyncio.CancelledError:
            if tracked.has_started:
                raise
            await _unavailable()(scope, receive, send)


def _unavailable() -> JSONResponse:
    text = "The service is busy. Try again in a moment."
    body = {"error": "temporarily_unavailable", "message": text, "error_description": text}
    headers = {"Retry-After": str(RETRY_AFTER_S), "Cache-Control": "no-store"}
    return JSONResponse(body, 503, headers)


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


def notify_systemd(state: str) -> None:
    """Say something to systemd, if it started this process and listens. sd_notify(3)."""
    address = ENVIRONMENT.get("NOTIFY_SOCKET", "")
    if address:
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.sendto(state.encode(), address.replace("@", "\0", 1))


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
            OutermostApp(served.app, self._is_full),
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
            timeout_graceful_shutdown=shutdown_s,
        )
        super().__init__(config)
        self._served, self._limit = served, connections_limit
        self._wake: Callable[[], object] = lambda: None

    def _is_full(self) -> bool:
        return self._limit is not None and len(self.server_state.connections) > self._limit

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

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and let systemd start what comes after."""
        await super().startup(sockets)
        if self.started:
            notify_systemd("READY=1")

    async def on_tick(self, counter: int) -> bool:
        """Date answers by the application's clock: phones date their proofs by answers."""
        should_exit = await super().on_tick(counter)
        date = formatdate(self._served.clock().timestamp(), usegmt=True).encode()
        self.server_state.default_headers = [(b"date", date), *self.config.encoded_headers]
        return should_exit

    async def main_loop(self) -> None:
        """Each second, close connections of late clients, and show that this loop runs."""
        loop, signalled = asyncio.get_running_loop(), asyncio.Event()
        self._wake = partial(loop.call_soon_threadsafe, signalled.set)
        while not await self.on_tick(0):
            notify_systemd("WATCHDOG=1")
            for connection in list(self.server_state.connections):
                if isinstance(connection, DeadlineProtocol):
                    connection.close_if_late()
            with suppress(TimeoutError):
                await asyncio.wait_for(signalled.wait(), TICK_S)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop at once."""
        super().handle_exit(sig, frame)
        self._wake()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End long-lived responses, then wait for the rest."""
        self._served.stop()
        await super().shutdown(sockets)

"""Serving until told to stop, and stopping without breaking what was begun.

SIGTERM: no connection is accepted any more; requests that are being answered are answered;
event streams end at once, so that their pages go on at another process; what takes longer than
``SHUTDOWN_S`` is cut off.
"""

from __future__ import annotations

import asyncio
import gc
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import uvicorn
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from mobile_api.errors import SettingsFault
from mobile_api.server.error_responses import ResponseStart

SHUTDOWN_S: Final = 25
"""How long requests that are being answered may take when the process stops, in seconds: a
picture may wait 20 for its turn, and orchestrators kill after 30."""


RETRY_AFTER_S: Final = 2
"""When whoever was cut off may come back: another process is there by then."""


@dataclass(frozen=True, slots=True)
class ServedApp:
    """What is served.

    Attributes:
        app: the application.
        stop: lets it end what would last; called in the event loop when the process stops.
    """

    app: ASGIApp
    stop: Callable[[], None]


class ShutdownResponse:
    """Tells whoever is cut off to come back, instead of that something broke.

    Args:
        app: what is served.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or the start and end of the process."""
        tracked = ResponseStart(send)
        try:
            await self._app(scope, receive, tracked)
        except asyncio.CancelledError:
            if tracked.has_started or scope["type"] != "http":
                raise
            headers = {"Retry-After": str(RETRY_AFTER_S), "Cache-Control": "no-store"}
            await Response(status_code=503, headers=headers)(scope, receive, send)


def require_port_free(host: str, port: int) -> None:
    """Refuse an address that cannot be listened on, before anything is loaded.

    Raises:
        SettingsFault: it is taken, not this machine's, or not allowed.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.create_server((host, port), family=family).close()
    except OSError as fault:
        reason = (fault.strerror or "no address of this machine").lower()
        raise SettingsFault(f"cannot listen on {host}, port {port}: {reason}") from None


class Server(uvicorn.Server):
    """A server that tells its application when it stops.

    Args:
        served: what is served.
        host: address to listen on.
        port: port to listen on.
        trusted_proxies: whose X-Forwarded-For names the client.
        shutdown_s: how long running requests may take when the process stops.
    """

    def __init__(
        self,
        served: ServedApp,
        host: str,
        port: int,
        trusted_proxies: str,
        shutdown_s: int = SHUTDOWN_S,
    ) -> None:
        # It writes no lines of its own: an address may hold what must not be logged.
        config = uvicorn.Config(
            ShutdownResponse(served.app),
            host=host,
            port=port,
            log_config=None,
            log_level="info",
            access_log=False,
            server_header=False,
            forwarded_allow_ips=trusted_proxies,
            timeout_graceful_shutdown=shutdown_s,
        )
        super().__init__(config)
        self._stop = served.stop

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until told to stop.

        What was loaded so far is there to stay. Looking through all of it for garbage, as
        Python would now and then, holds up every request for a tenth of a second.
        """
        gc.collect()
        gc.freeze()
        try:
            super().run(sockets)
        finally:
            gc.unfreeze()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End what would last, then wait for the rest."""
        self._stop()
        await super().shutdown(sockets)

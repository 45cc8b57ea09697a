"""Serving until told to stop, and stopping without breaking what was begun.

SIGTERM: no connection is accepted any more; requests that are being answered are answered;
event streams end at once, so that their pages go on at another process; what takes longer than
``SHUTDOWN_S`` is cut off.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import uvicorn
from starlette.types import ASGIApp

SHUTDOWN_S: Final = 25
"""How long requests that are being answered may take when the process stops, in seconds: a
picture may wait 20 for its turn, and orchestrators kill after 30."""


@dataclass(frozen=True, slots=True)
class Served:
    """What is served.

    Attributes:
        app: the application.
        stop: lets it end what would last; called in the event loop when the process stops.
    """

    app: ASGIApp
    stop: Callable[[], None]


class Server(uvicorn.Server):
    """A server that tells its application when it stops.

    Args:
        served: what is served.
        host: address to listen on.
        port: port to listen on.
        trusted_proxies: whose X-Forwarded-For names the client.
    """

    def __init__(self, served: Served, host: str, port: int, trusted_proxies: str) -> None:
        # It writes no lines of its own: an address may hold what must not be logged.
        config = uvicorn.Config(
            served.app,
            host=host,
            port=port,
            log_config=None,
            log_level="info",
            access_log=False,
            server_header=False,
            forwarded_allow_ips=trusted_proxies,
            timeout_graceful_shutdown=SHUTDOWN_S,
        )
        super().__init__(config)
        self._stop = served.stop

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End what would last, then wait for the rest."""
        self._stop()
        await super().shutdown(sockets)

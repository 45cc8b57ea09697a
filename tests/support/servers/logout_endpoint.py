"""A relying party's back-channel logout endpoint on loopback: real HTTP, any answer."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qsl


@dataclass(frozen=True)
class Received:
    """One request, as it came."""

    path: str
    content_type: str
    fields: list[tuple[str, str]]


@dataclass
class LogoutEndpoint:
    """What a relying party was told.

    Attributes:
        address: of the endpoint.
        status: what it answers.
        received: what came, in order.
    """

    address: str
    status: int = 200
    received: list[Received] = field(default_factory=list)

    @property
    def tokens(self) -> list[str]:
        """Every logout token that came."""
        return [dict(each.fields)["logout_token"] for each in self.received]


@contextmanager
def listening(tls: ssl.SSLContext | None = None) -> Iterator[LogoutEndpoint]:
    """Listen on a free port of loopback, by https if there is a certificate."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            fields = parse_qsl(body, keep_blank_values=True, strict_parsing=True)
            kind = self.headers["Content-Type"]
            endpoint.received.append(Received(self.path, kind, fields))
            self.send_response(endpoint.status)
            if endpoint.status == 302:
                self.send_header("Location", "/elsewhere")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    scheme = "http" if tls is None else "https"
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    endpoint = LogoutEndpoint(f"{scheme}://127.0.0.1:{server.server_port}/logout?tenant=1")
    Thread(target=server.serve_forever, daemon=True, kwargs={"poll_interval": 0.01}).start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()

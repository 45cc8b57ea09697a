"""A server on loopback that keeps what it is sent: real HTTP, any answer."""

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
    headers: str
    content_type: str
    body: bytes

    @property
    def fields(self) -> list[tuple[str, str]]:
        """The fields of the form in the body."""
        return parse_qsl(self.body.decode(), keep_blank_values=True, strict_parsing=True)


@dataclass
class Recorder:
    """The requests that a server received.

    Attributes:
        address: of the server, with a path.
        status: what it answers.
        location: where a redirect leads.
        received: the requests, in order.
    """

    address: str
    status: int = 200
    location: str = "/another"
    received: list[Received] = field(default_factory=list)

    @property
    def tokens(self) -> list[str]:
        """Every logout token that came. OpenID Connect Back-Channel Logout 1.0 §2.5."""
        return [dict(each.fields)["logout_token"] for each in self.received]

    @property
    def text(self) -> str:
        """All that came."""
        return "".join(f"{e.path}{e.headers}{e.body.decode('latin-1')}" for e in self.received)


@contextmanager
def recording(path: str = "", *, tls: ssl.SSLContext | None = None) -> Iterator[Recorder]:
    """Listen on a free port of loopback, by https if there is a certificate; echo bodies."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            kind = self.headers.get("Content-Type", "")
            status = kept.status  # a test that knows of the request may change it
            kept.received.append(Received(self.path, str(self.headers), kind, body))
            self.send_response(status)
            if status // 100 == 3:
                self.send_header("Location", kept.location)
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST  # noqa: N815 -- named by the library

        def log_message(self, *_: object) -> None:
            """Write no log line."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    scheme = "http" if tls is None else "https"
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    kept = Recorder(f"{scheme}://127.0.0.1:{server.server_port}{path}")
    Thread(target=server.serve_forever, daemon=True, kwargs={"poll_interval": 0.01}).start()
    try:
        yield kept
    finally:
        server.shutdown()
        server.server_close()

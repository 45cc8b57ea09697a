"""Several requests over one connection, in packets, with offers of other protocols."""

import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any, Final

from starlette.types import ASGIApp

from mobile_api.server.serving import Place, ServedApp, Server
from tests.support.hostile.raw_http import Response
from tests.support.servers.app_server import listening
from tests.support.service.process import LOOPBACK, free_port

LIMIT_S: Final = 60
"""A connection that is neither answered nor closed by then hangs."""

PAUSE_S: Final = 0.02

PIECES: Final = 20
"""More packets than this are sent without a pause."""

AT_ONCE: Final = 32

Packets = Sequence[bytes]

OFFERS: Final = {
    "h2c": b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAA",
    "websocket": b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    "TLS/1.2": b"Upgrade: TLS/1.2\r\nConnection: Upgrade",
    "HTTP/2.0": b"Upgrade: HTTP/2.0\r\nConnection: Upgrade",
    "foo": b"Upgrade: foo\r\nConnection: upgrade",
    "several in a line": b"Upgrade: foo, h2c, websocket\r\nConnection: keep-alive, Upgrade",
    "several lines": b"Upgrade: foo\r\nUpgrade: h2c\r\nConnection: a\r\nConnection: upgrade",
    "upper case": b"UPGRADE: FOO\r\nCONNECTION: UPGRADE",
    "lower case": b"upgrade: foo\r\nconnection: upgrade",
    "empty": b"Upgrade:\r\nConnection: upgrade",
    "not ASCII": b"Upgrade: \xff\xfe\r\nConnection: upgrade, \xff",
    "tabs": b"Upgrade:\tfoo\t\r\nConnection:\tupgrade\t,\tkeep-alive",
    "without Connection": b"Upgrade: foo",
    "Connection alone": b"Connection: upgrade",
    "of a proxy": b"Upgrade: foo\r\nProxy-Connection: upgrade",
}


@contextmanager
def serving(app: ASGIApp) -> Iterator[int]:
    """Serve an application as it is shipped; give the port."""
    place = Place(LOOPBACK, port := free_port())
    with listening(Server(ServedApp(app, lambda: None), place, trusted_proxies="")):
        yield port


def head(method: str, path: str, *lines: bytes, host: str = "x") -> bytes:
    """Return the head of a request."""
    start = f"{method} {path} HTTP/1.1\r\nHost: {host}".encode()
    return b"\r\n".join([start, *lines, b"", b""])


def answers_to(port: int, packets: Packets, *, in_turn: bool = False) -> list[Response]:
    """Send packets; return the answers until the service closes the connection.

    ``in_turn``: each is sent after an answer to the one before has begun.
    """
    data = b""
    with socket.create_connection((LOOPBACK, port), timeout=LIMIT_S) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with suppress(ConnectionError):  # closed while more is sent
            for packet in packets:
                connection.sendall(packet)
                if in_turn:
                    connection.recv(1, socket.MSG_PEEK)
                time.sleep(PAUSE_S if len(packets) <= PIECES else 0)
        with suppress(ConnectionError):
            while got := connection.recv(65_536):
                data += got
    return [each for each in _split(data) if each.status != 100]


def _split(data: bytes) -> Iterator[Response]:
    """Split what a service said into its answers. Raises ValueError if it is not HTTP."""
    while data:
        top, _, data = data.partition(b"\r\n\r\n")
        version, status = top.split(b" ")[:2]
        if not version.startswith(b"HTTP/1."):
            raise ValueError("bytes between two answers")
        body, data = _body(top.lower(), int(status), data)
        yield Response(int(status), top, body)


def _body(top: bytes, status: int, data: bytes) -> tuple[bytes, bytes]:
    if status < 200 or status in (204, 304):
        return b"", data
    if b"transfer-encoding: chunked" in top:
        body, _, data = data.partition(b"0\r\n\r\n")
        return body, data
    length = int(top.partition(b"content-length: ")[2].split(b"\r\n")[0])
    return data[:length], data[length:]


def not_as_expected(
    port: int, sent: Mapping[Any, Packets], is_right: Callable[[Any, list[Response]], bool]
) -> dict[Any, list[Response]]:
    """Send each on a separate connection; return the answers that are not right."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        got = pool.map(lambda packets: answers_to(port, packets), sent.values())
        return {
            case: each for case, each in zip(sent, got, strict=True) if not is_right(case, each)
        }

"""Send a request as exact bytes, and read the response.

HTTP libraries refuse to send most of these requests.
"""

import re
import socket
from dataclasses import dataclass, field
from enum import Enum
from typing import Final
from urllib.parse import quote, quote_plus

from tests.support.service.process import LOOPBACK

Pair = tuple[str, str]

WAIT_S: Final = 30.0
"""A service that is silent for longer is hung."""

_HEAD: Final = re.compile(rb"HTTP/1\.[01] (\d{3})")
_INTERIM: Final = re.compile(rb"HTTP/1\.[01] 1\d\d")
_END: Final = b"\r\n\r\n"
_ENDLESS: Final = b"text/event-stream"
_RESPONSE_LIMIT_BYTES: Final = 4_000_000


class Framing(Enum):
    """The framing of a body. RFC 9112 §6."""

    LENGTH = "length"
    CHUNKED = "chunked"
    BROKEN_CHUNKS = "broken chunks"
    TOO_SHORT = "a length too short"
    TOO_LONG = "a length too long"
    BOTH = "a length and chunks"
    NEGATIVE = "a negative length"
    NONE = "nothing"


_NEEDS_HALF_CLOSE: Final = frozenset(
    {Framing.BROKEN_CHUNKS, Framing.TOO_LONG, Framing.BOTH, Framing.NEGATIVE, Framing.NONE}
)
"""The server may wait for more bytes: close the sending side."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request, valid or not.

    Attributes:
        path: already encoded.
        query: names and values, not encoded yet.
        headers: in order; the body's length is added.
        form: names and values of a form body; None for another body.
        raw_query: sent unencoded instead of ``query``.
    """

    method: str
    path: str
    query: tuple[Pair, ...] = ()
    headers: tuple[Pair, ...] = ()
    form: tuple[Pair, ...] | None = None
    body: bytes = field(default=b"", repr=False)
    raw_query: str | None = None
    framing: Framing = Framing.LENGTH
    version: str = "HTTP/1.1"

    @property
    def content(self) -> bytes:
        """The body without its framing."""
        return self.body if self.form is None else encoded(self.form)

    @property
    def target(self) -> bytes:
        """Path and query."""
        query = octets(self.raw_query) if self.raw_query is not None else encoded(self.query)
        return octets(self.path) + (b"?" + query if query else b"")

    def octets(self) -> bytes:
        """Return the whole request."""
        lines = [b" ".join((octets(self.method), self.target, octets(self.version)))]
        lines += [octets(name) + b": " + octets(value) for name, value in self.headers]
        framing, body = _framed(self.content, self.framing)
        if self.framing is Framing.LENGTH and not body and self.method in ("GET", "HEAD"):
            framing = []
        return b"\r\n".join([*lines, *framing, b"Connection: close", b"", b""]) + body


@dataclass(frozen=True, slots=True)
class Response:
    """A response.

    Attributes:
        status: 0 if there was none.
        hung: whether the service neither answered nor closed the connection.
    """

    status: int
    head: bytes = field(repr=False)
    body: bytes = field(repr=False)
    hung: bool = False


def octets(text: str) -> bytes:
    """Encode text; a lone surrogate becomes the byte it stands for, or ``?``."""
    return text.encode("utf-8", "surrogateescape" if _is_escaped(text) else "replace")


def encoded(pairs: tuple[Pair, ...]) -> bytes:
    """Encode names and values as a query or form."""
    return "&".join(
        f"{quote_plus(octets(name))}={quote_plus(octets(value))}" for name, value in pairs
    ).encode("ascii")


def segment(text: str) -> str:
    """Encode text as a path segment."""
    return quote(octets(text), safe="")


def send(port: int, request: bytes, *, needs_half_close: bool = False) -> Response:
    """Send bytes to the service and return the response."""
    data = b""
    try:
        with socket.create_connection((LOOPBACK, port), timeout=WAIT_S) as connection:
            _write(connection, request, needs_half_close=needs_half_close)
            while len(data) < _RESPONSE_LIMIT_BYTES and (got := connection.recv(65_536)):
                data += got
                if _ENDLESS in data.partition(_END)[0].lower() and _END in data:
                    break
    except TimeoutError:
        return _answer(data, hung=True)
    except OSError:
        pass  # The server may close while it still receives.
    return _answer(data, hung=False)


def needs_half_close(request: Request) -> bool:
    """Return whether a server may wait for more bytes than are sent."""
    named = {name.lower() for name, _ in request.headers}
    return request.framing in _NEEDS_HALF_CLOSE or bool(
        named & {"content-length", "transfer-encoding"}
    )


def _write(connection: socket.socket, request: bytes, *, needs_half_close: bool) -> None:
    try:
        connection.sendall(request)
        if needs_half_close:
            connection.shutdown(socket.SHUT_WR)
    except (BrokenPipeError, ConnectionResetError):
        pass  # The server answered before it read everything.


def _answer(data: bytes, *, hung: bool) -> Response:
    head, _, body = data.partition(_END)
    while _INTERIM.match(head):  # RFC 9110 §15.2: another one follows
        head, _, body = body.partition(_END)
    found = _HEAD.match(head)
    return Response(int(found[1]) if found else 0, head, body, hung)


def _framed(body: bytes, framing: Framing) -> tuple[list[bytes], bytes]:
    lengths = {
        Framing.LENGTH: len(body),
        Framing.BOTH: len(body),
        Framing.TOO_SHORT: len(body) // 2,
        Framing.TOO_LONG: len(body) + 999,
        Framing.NEGATIVE: -5,
    }
    chunked = {
        Framing.CHUNKED: _chunk(body) + b"0\r\n\r\n",
        Framing.BOTH: _chunk(body) + b"0\r\n\r\n",
        Framing.BROKEN_CHUNKS: b"zz\r\n" + body + b"\r\n-1\r\n",
    }
    sent = [b"Content-Length: %d" % lengths[framing]] if framing in lengths else []
    sent += [b"Transfer-Encoding: chunked"] if framing in chunked else []
    return sent, chunked.get(framing, body)


def _chunk(body: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(body), body) if body else b""


def _is_escaped(text: str) -> bool:
    """Return whether every surrogate stands for one byte (PEP 383)."""
    return all(not "\ud800" <= c <= "\udfff" or "\udc80" <= c <= "\udcff" for c in text)

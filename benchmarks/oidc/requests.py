"""The three timed requests as bytes, the sources that produce them, and what sends them.

Each connection has one request in flight. wrk cannot put the refresh token of a response into
the next request of the same connection; here each connection's source gives the next request.
"""

import asyncio
import base64
import hashlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlencode

from benchmarks.console import BenchmarkFault

Source = Callable[[bytes | None], bytes | None]
"""Given the last response body, None at first; returns the next request, or None."""

HOST: Final = "127.0.0.1"
_END: Final = b"\r\n\r\n"


class LoadFault(BenchmarkFault):
    """A server sent an unexpected response."""


@dataclass(slots=True)
class LoadResult:
    """Result of a load.

    Attributes:
        latencies_s: of each request, from its first byte to the last of its response.
        wall_s: from the first request to the last response.
    """

    latencies_s: list[float] = field(default_factory=list)
    wall_s: float = 0.0


def send(port: int, sources: list[Source]) -> LoadResult:
    """Send the requests of the sources, one connection each, until all end.

    Raises:
        LoadFault: a status other than 200, or a closed connection.
    """
    return asyncio.run(_send(port, sources))


async def _send(port: int, sources: list[Source]) -> LoadResult:
    loop = asyncio.get_running_loop()
    load = LoadResult()
    connections = [_Connection(source, load, loop.create_future()) for source in sources]
    begun = time.perf_counter()
    for connection in connections:
        await loop.create_connection(lambda connection=connection: connection, HOST, port)  # type: ignore[misc]
    await asyncio.gather(*(connection.done for connection in connections))
    load.wall_s = time.perf_counter() - begun
    return load


class _Connection(asyncio.Protocol):
    def __init__(self, source: Source, load: LoadResult, done: asyncio.Future[None]) -> None:
        self.done = done
        self._source = source
        self._load = load
        self._received = bytearray()
        self._sent_at = 0.0
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - TCP
        self._transport = transport
        self._send_next(None)

    def data_received(self, data: bytes) -> None:
        self._received += data
        body = self._whole_body()
        if body is None:
            return
        self._load.latencies_s.append(time.perf_counter() - self._sent_at)
        status = bytes(self._received[9:12])
        self._received.clear()
        if status != b"200":
            self._fail(f"status {status.decode('ascii', 'replace')}: {body[:300]!r}")
        else:
            self._send_next(body)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.done.done():
            self._fail("the server closed the connection")

    def _whole_body(self) -> bytes | None:
        head_length = self._received.find(_END)
        if head_length < 0:
            return None
        head = bytes(self._received[:head_length]).lower()
        _, found, rest = head.partition(b"\r\ncontent-length:")
        if not found:
            self._fail("an answer without Content-Length")
            return None
        length = int(rest.partition(b"\r\n")[0])
        body = self._received[head_length + len(_END) :]
        return bytes(body) if len(body) >= length else None

    def _send_next(self, body: bytes | None) -> None:
        request = self._source(body)
        assert self._transport is not None  # noqa: S101 - connected before anything is sent
        if request is None:
            self.done.set_result(None)
            self._transport.close()
            return
        self._sent_at = time.perf_counter()
        self._transport.write(request)

    def _fail(self, reason: str) -> None:
        if not self.done.done():
            self.done.set_exception(LoadFault(reason))
        if self._transport is not None:
            self._transport.close()


CODE_VERIFIER: Final = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
"""Example of RFC 7636, appendix B."""

CODE_CHALLENGE: Final = (
    base64.urlsafe_b64encode(hashlib.sha256(CODE_VERIFIER.encode()).digest())
    .rstrip(b"=")
    .decode()
)

REDIRECT_URI: Final = "http://127.0.0.1:9/callback"
"""Nothing listens there."""


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Endpoints of a provider and the client that calls them."""

    port: int
    token: str
    userinfo: str
    client_id: str
    client_secret: str = field(repr=False)

    def exchange(self, code: str) -> bytes:
        """Return a code exchange."""
        fields = {"grant_type": "authorization_code", "code": code}
        return self._form(
            {**fields, "redirect_uri": REDIRECT_URI, "code_verifier": CODE_VERIFIER}
        )

    def refresh(self, token: str) -> bytes:
        """Return a refresh request."""
        return self._form({"grant_type": "refresh_token", "refresh_token": token})

    def get_userinfo(self, access_token: str) -> bytes:
        """Return a userinfo request."""
        head = f"GET {self.userinfo} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
        return f"{head}Authorization: Bearer {access_token}\r\n\r\n".encode("ascii")

    def _form(self, fields: dict[str, str]) -> bytes:
        proof = {"client_id": self.client_id, "client_secret": self.client_secret}
        body = urlencode(fields | proof)
        head = f"POST {self.token} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
        head += "Content-Type: application/x-www-form-urlencoded\r\n"
        return f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode("ascii")


@dataclass(slots=True)
class TokenResponses:
    """Bodies of token responses."""

    bodies: list[bytes] = field(default_factory=list, repr=False)

    def tokens(self, name: str) -> list[str]:
        """Return one field of each."""
        return [str(json.loads(body)[name]) for body in self.bodies]


def code_exchanges(
    endpoints: Endpoints, codes: Sequence[str], connections: int, answers: TokenResponses
) -> list[Source]:
    """Return sources that share the codes: each is sent once."""
    shared = iter([endpoints.exchange(code) for code in codes])

    def source(body: bytes | None) -> bytes | None:
        if body is not None:
            answers.bodies.append(body)
        return next(shared, None)

    return [source] * connections


def refreshes(
    endpoints: Endpoints, tokens: Sequence[str], count: int, answers: TokenResponses
) -> list[Source]:
    """Return sources that follow each refresh token; ``count`` requests in all."""
    left = iter(range(count))

    def follow(first: str) -> Source:
        def source(body: bytes | None) -> bytes | None:
            if body is not None:
                answers.bodies.append(body)
            if next(left, None) is None:
                return None
            token = first if body is None else json.loads(body)["refresh_token"]
            return endpoints.refresh(token)

        return source

    return [follow(token) for token in tokens]


def userinfo_requests(
    endpoints: Endpoints, tokens: Sequence[str], count: int, connections: int
) -> list[Source]:
    """Return sources that cycle through access tokens; ``count`` requests in all."""
    made = [endpoints.get_userinfo(token) for token in tokens]
    shared: Iterator[bytes] = (made[number % len(made)] for number in range(count))
    return [lambda _body: next(shared, None)] * connections

"""The three timed requests as bytes, the sources that produce them, and what sends them.

Each connection has one request in flight, and its source gives the next one: wrk cannot put the
refresh token of a response into the next request of the same connection.
"""

import asyncio
import base64
import hashlib
import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlencode

from benchmarks.console import BenchmarkFault

Source = Callable[[bytes | None], bytes | None]
"""Given the last response body, None at first; returns the next request, or None."""

HOST: Final = "127.0.0.1"
_END: Final = b"\r\n\r\n"
_LENGTH: Final = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


async def send(port: int, sources: Sequence[Source]) -> list[float]:
    """Send the requests of the sources, one connection each, until all end.

    Returns:
        Seconds of each request, from its first byte to the last of its response.

    Raises:
        BenchmarkFault: a status other than 200, or a closed connection.
    """
    latencies_s: list[float] = []
    try:
        await asyncio.gather(*(_follow(port, source, latencies_s) for source in sources))
    except (asyncio.IncompleteReadError, ConnectionError) as fault:
        raise BenchmarkFault("the server closed the connection") from fault
    return latencies_s


async def _follow(port: int, source: Source, latencies_s: list[float]) -> None:
    reader, writer = await asyncio.open_connection(HOST, port)
    body = None
    with closing(writer):
        while (request := source(body)) is not None:
            began = time.perf_counter()
            writer.write(request)
            head = await reader.readuntil(_END)
            if (length := _LENGTH.search(head)) is None:
                raise BenchmarkFault("an answer without Content-Length")
            body = await reader.readexactly(int(length[1]))
            latencies_s.append(time.perf_counter() - began)
            if head[9:12] != b"200":
                status = head[9:12].decode("ascii", "replace")
                raise BenchmarkFault(f"status {status}: {body[:300]!r}")
    await writer.wait_closed()


CODE_VERIFIER: Final = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
"""Example of RFC 7636, appendix B."""

CODE_CHALLENGE: Final = (
    base64.urlsafe_b64encode(hashlib.sha256(CODE_VERIFIER.encode()).digest())
    .rstrip(b"=")
    .decode()
)

REDIRECT_URI: Final = "http://127.0.0.1:9/callback"
"""An address at which nothing listens: only the code in it is read."""


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


def code_exchanges(
    endpoints: Endpoints, codes: Sequence[str], connections: int, answers: list[bytes]
) -> list[Source]:
    """Return sources that share the codes: each is sent once."""
    shared = iter([endpoints.exchange(code) for code in codes])

    def source(body: bytes | None) -> bytes | None:
        if body is not None:
            answers.append(body)
        return next(shared, None)

    return [source] * connections


def refreshes(endpoints: Endpoints, tokens: Sequence[str], count: int) -> list[Source]:
    """Return sources that follow each refresh token; ``count`` requests in all."""
    left = iter(range(count))

    def follow(first: str) -> Source:
        def source(body: bytes | None) -> bytes | None:
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

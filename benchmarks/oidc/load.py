"""A small load generator: each connection has one request in flight.

wrk cannot put the refresh token of a response into the next request of the same connection;
here each connection's source gives the next request.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from benchmarks.errors import BenchmarkFault

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

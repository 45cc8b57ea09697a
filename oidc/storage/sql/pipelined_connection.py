"""A PostgreSQL connection of an event loop that sends many statements at once.

Uses libpq's pipeline mode, so that one round trip brings all replies. Statements are
unnamed on the server, so that a pooler may share the connection between transactions.
"""

from __future__ import annotations

import asyncio
from functools import cache
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import psycopg
from psycopg.pq import DiagnosticField, ExecStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from psycopg.pq.abc import PGconn, PGresult

ANSWER_S: Final = 10.0
"""How long to wait for a reply."""

_TEXT, _BINARY = 0, 1

_READ: Final[dict[int, Callable[[bytes], Any]]] = {
    16: lambda octets: octets == b"\x01",  # boolean
    17: bytes,  # bytea
    20: lambda octets: int.from_bytes(octets, "big", signed=True),  # bigint
    23: lambda octets: int.from_bytes(octets, "big", signed=True),  # integer
    25: bytes.decode,  # text
    1043: bytes.decode,  # varchar
}
"""Converters from the binary format, by type OID."""


class ConnectionLost(Exception):
    """The connection is gone. Statements in flight may have been executed."""


class StatementRefused(Exception):
    """The server refused a statement and skipped those after it.

    Carries the SQLSTATE only: the server's message may quote a row.
    """


class Statement(NamedTuple):
    """SQL with parameters ``$1``, ``$2``…, and their values as sent."""

    text: bytes
    values: tuple[bytes | None, ...] = ()
    formats: tuple[int, ...] = ()

    def __repr__(self) -> str:
        """Hide the values: digests and grant ids."""
        return f"Statement({self.text!r})"


class Reply(NamedTuple):
    """The rows of a statement, and how many rows it changed."""

    rows: list[tuple[Any, ...]]
    changed: int

    def __repr__(self) -> str:
        """Hide the rows."""
        return f"Reply({len(self.rows)} rows, changed={self.changed})"


def statement(text: str, values: Sequence[str | bytes | int | None]) -> Statement:
    """Return a statement as sent: bytes unchanged, anything else as text."""
    return Statement(
        _octets(text),
        tuple(
            each if each is None or isinstance(each, bytes) else str(each).encode()
            for each in values
        ),
        tuple(_BINARY if isinstance(each, bytes) else _TEXT for each in values),
    )


@cache
def _octets(text: str) -> bytes:
    """Encode one of the program's few statements."""
    return text.encode()


async def open_pipelined(parameters: Mapping[str, Any]) -> PipelinedConnection:
    """Connect, in the running event loop.

    Args:
        parameters: of ``psycopg.AsyncConnection.connect``.

    Raises:
        ConnectionLost: the server does not respond or refuses the login.
    """
    # UTF-8 regardless of database, role or environment.
    chosen = {**parameters, "client_encoding": "utf8", "autocommit": True}
    try:
        connection = await psycopg.AsyncConnection.connect(**chosen)
    except psycopg.Error as fault:
        raise ConnectionLost("the protocol database does not answer") from fault
    return PipelinedConnection(connection.pgconn, connection)


class PipelinedConnection:
    """An open connection. Used by one task at a time, in its own event loop.

    Args:
        wire: libpq's connection.
        owner: object that must stay alive as long as this.

    Attributes:
        trips: number of round trips.
    """

    def __init__(self, wire: PGconn, owner: object) -> None:
        self._wire, self._owner = wire, owner
        wire.nonblocking = 1
        wire.enter_pipeline_mode()
        self._socket = wire.socket
        self.trips, self._heard_at = 0, monotonic()
        self._writes = False
        self._replies: list[Reply] = []
        self._refused: StatementRefused | None = None
        self._done: asyncio.Future[None] | None = None
        asyncio.get_running_loop().add_reader(self._socket, self._readable)

    @property
    def silent_s(self) -> float:
        """Seconds since the last reply, or since opening."""
        return monotonic() - self._heard_at

    @property
    def is_open(self) -> bool:
        """Whether it is usable, as far as known."""
        return bool(self._socket >= 0)

    async def run(
        self, statements: Sequence[Statement], answer_s: float | None = None
    ) -> list[Reply]:
        """Send statements at once and return their replies.

        Outside a transaction they form one. An empty sequence checks the connection.

        Args:
            statements: to send.
            answer_s: timeout; None: ``ANSWER_S``.

        Raises:
            StatementRefused: one was refused; outside a transaction, none took effect.
            ConnectionLost: no reply came; the connection is closed.
        """
        self._replies, self._refused = [], None
        self.trips += 1
        self._done = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(ANSWER_S if answer_s is None else answer_s):
                self._send(statements)
                await self._done
        except (psycopg.Error, TimeoutError) as fault:
            self.close()
            raise ConnectionLost("the protocol database does not answer") from fault
        except BaseException:
            # A late reply would be taken for another statement's.
            self.close()
            raise
        if self._refused is not None:
            raise self._refused
        return self._replies

    def close(self) -> None:
        """Close the connection and roll back. In its event loop."""
        if self._socket < 0:
            return
        loop = asyncio.get_running_loop()
        loop.remove_reader(self._socket)
        loop.remove_writer(self._socket)
        self.drop()
        self._end(psycopg.OperationalError("the connection was closed"))

    def drop(self) -> None:
        """Close the connection of an event loop that has ended."""
        self._socket = -1
        self._wire.finish()

    def _send(self, statements: Sequence[Statement]) -> None:
        for each in statements:
            self._wire.send_query_params(
                each.text, each.values, None, each.formats, result_format=_BINARY
            )
        self._wire.pipeline_sync()
        self._flush()

    def _flush(self) -> None:
        """Send what the socket accepts; continue when it is writable."""
        is_more = self._wire.flush() == 1
        if is_more != self._writes:
            self._writes = is_more
            loop = asyncio.get_running_loop()
            if is_more:
                loop.add_writer(self._socket, self._writable)
            else:
                loop.remove_writer(self._socket)

    def _writable(self) -> None:
        try:
            self._flush()
        except Exception as fault:  # the event loop would only log it
            self._end(fault)

    def _readable(self) -> None:
        try:
            self._wire.consume_input()
            self._flush()
            while self._done is not None and not self._wire.is_busy():
                self._take(self._wire.get_result())
        except Exception as fault:  # the event loop would only log it
            self._end(fault)

    def _take(self, result: PGresult | None) -> None:
        """Record a reply; None separates the replies of two statements."""
        if result is None:
            return
        status = result.status
        if status == ExecStatus.TUPLES_OK:
            self._replies.append(Reply(_rows(result), 0))
        elif status == ExecStatus.COMMAND_OK:
            self._replies.append(Reply([], result.command_tuples or 0))
        elif status == ExecStatus.PIPELINE_SYNC:
            self._heard_at = monotonic()
            self._end(None)
        elif self._refused is None:
            state = result.error_field(DiagnosticField.SQLSTATE) or b""
            self._refused = StatementRefused(state.decode())

    def _end(self, fault: Exception | None) -> None:
        """Finish the pending call; without one, a fault closes the connection."""
        done, self._done = self._done, None
        if fault is None:
            if done is not None and not done.done():
                done.set_result(None)
        elif done is None:
            self.close()
        elif not done.done():
            done.set_exception(fault)


def _rows(result: PGresult) -> list[tuple[Any, ...]]:
    readers = [_READ[result.ftype(column)] for column in range(result.nfields)]
    return [
        tuple(
            None if (octets := result.get_value(row, column)) is None else read(octets)
            for column, read in enumerate(readers)
        )
        for row in range(result.ntuples)
    ]

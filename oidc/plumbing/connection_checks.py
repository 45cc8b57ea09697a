"""Timeouts and checks of PostgreSQL connections, so that dead ones are noticed soon.

Without these a sender waits a quarter of an hour for a machine that vanished, and a
receiver two hours. A pooler that hangs accepts everything and answers nothing, so idle
connections are checked before use.
"""

from __future__ import annotations

from select import POLLIN, poll
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import psycopg
    from psycopg.pq.abc import PGconn
    from sqlalchemy import URL

TIMEOUTS: Final[dict[str, Any]] = {
    "connect_timeout": 5,
    "keepalives": 1,
    "keepalives_idle": 10,
    "keepalives_interval": 3,
    "keepalives_count": 3,
    "tcp_user_timeout": 5000,
}
"""libpq parameters in seconds; ``tcp_user_timeout`` in milliseconds."""

RECHECK_AFTER_S: Final = 1.0
"""A connection is not checked again so soon after a reply."""

CHECK_TIMEOUT_S: Final = 1.0
"""How long a connection has to respond."""


def timeouts(url: URL) -> dict[str, Any]:
    """Return the parameters that the operator's URL does not set."""
    return {name: value for name, value in TIMEOUTS.items() if name not in url.query}


def parameters_of(url: URL) -> dict[str, Any]:
    """Return the driver's connection parameters for a PostgreSQL URL."""
    _, parameters = url.get_dialect()().create_connect_args(url)
    return {**timeouts(url), **parameters}


def is_pooled(wire: PGconn) -> bool:
    """Tell whether a pooler shares the connection: its process id is not the backend's.

    Blocking.

    Raises:
        psycopg.OperationalError: the connection is dead.
    """
    number = wire.exec_(b"SELECT pg_backend_pid()").get_value(0, 0)
    return number is None or int(number) != wire.backend_pid


def responds(connection: psycopg.Connection) -> bool:
    """Tell whether an idle connection responds in time. Blocks up to ``CHECK_TIMEOUT_S``."""
    import psycopg  # noqa: PLC0415 - SQLite needs none

    wire, ends = connection.pgconn, monotonic() + CHECK_TIMEOUT_S
    try:
        wire.send_query(b"")
        while not _has_answered(wire):
            left = ends - monotonic()
            if left <= 0 or not _is_readable(wire.socket, left):
                return False
            wire.consume_input()
    except (psycopg.Error, OSError):
        return False
    return True


def _is_readable(number: int, wait_s: float) -> bool:
    """Wait for input. Unlike ``select``, ``poll`` takes descriptors above 1023."""
    waiting = poll()
    waiting.register(number, POLLIN)
    return bool(waiting.poll(wait_s * 1000))


def _has_answered(wire: PGconn) -> bool:
    """Read the available replies; tell whether that was all."""
    wire.flush()
    while not wire.is_busy():
        if wire.get_result() is None:
            return True
    return False

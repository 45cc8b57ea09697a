"""How connections to a PostgreSQL server are opened and asked: dead ones are known soon.

A machine that vanishes, or a firewall that forgets, says nothing: without these, whoever sends
waits a quarter of an hour for the system to give up, and whoever only listens two hours. What
the other side's system does not take is given up after some seconds, and a connection on which
nothing is said is asked whether the other side lives. A pooler that hangs takes everything and
responds nothing: connections that were idle are asked for an answer before they are used.
Behind a pooler nothing may be left on a connection that the next transaction counts upon.
"""

from __future__ import annotations

from select import select
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

import psycopg

if TYPE_CHECKING:
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
"""Parameters of libpq in seconds, the last one in milliseconds: a browser waits longer."""

RECHECK_AFTER_S: Final = 1.0
"""How long a connection is taken to be good after its last answer, without asking."""

CHECK_TIMEOUT_S: Final = 1.0
"""How long a connection has to say that it lives."""


def timeouts(url: URL) -> dict[str, Any]:
    """Return what the operator's address leaves open: what it says itself holds."""
    return {name: value for name, value in TIMEOUTS.items() if name not in url.query}


def parameters_of(url: URL) -> dict[str, Any]:
    """Return what connects the driver to a server.

    Args:
        url: of a PostgreSQL database.
    """
    _, parameters = url.get_dialect()().create_connect_args(url)
    return {**timeouts(url), **parameters}


def is_pooled(wire: PGconn) -> bool:
    """Tell whether a pooler lends the server's connections out: the next may be another one.

    It tells everybody a number of its own in place of the backend's. Blocking.

    Raises:
        psycopg.OperationalError: the connection is dead.
    """
    number = wire.exec_(b"SELECT pg_backend_pid()").get_value(0, 0)
    return number is None or int(number) != wire.backend_pid


def responds(connection: psycopg.Connection) -> bool:
    """Tell whether an idle connection says anything in time. Blocking, for ``CHECK_TIMEOUT_S``."""
    wire, ends = connection.pgconn, monotonic() + CHECK_TIMEOUT_S
    try:
        wire.send_query(b"")
        while not _has_answered(wire):
            left = ends - monotonic()
            if left <= 0 or not select([wire.socket], [], [], left)[0]:
                return False
            wire.consume_input()
    except (psycopg.Error, OSError):
        return False
    return True


def _has_answered(wire: PGconn) -> bool:
    """Take the responds that are there; tell whether they are all."""
    wire.flush()
    while not wire.is_busy():
        if wire.get_result() is None:
            return True
    return False

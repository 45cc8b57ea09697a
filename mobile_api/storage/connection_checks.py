"""How connections to a PostgreSQL server are opened and asked: dead ones are known soon.

A machine that vanishes says nothing: without these parameters whoever sends waits a quarter of
an hour for the system to give up. A pooler that hangs takes everything and answers nothing:
connections that were idle are asked for an answer before they are used.
"""

from __future__ import annotations

from select import select
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, cast

import psycopg
from sqlalchemy import event
from sqlalchemy.exc import InvalidatePoolError

if TYPE_CHECKING:
    from psycopg.pq.abc import PGconn
    from sqlalchemy import URL, Engine
    from sqlalchemy.pool import ConnectionPoolEntry

CONNECT_PARAMETERS: Final[dict[str, Any]] = {
    "connect_timeout": 5,
    "keepalives": 1,
    "keepalives_idle": 10,
    "keepalives_interval": 3,
    "keepalives_count": 3,
    "tcp_user_timeout": 5000,
}
"""Parameters of libpq in seconds, the last one in milliseconds."""

RECHECK_AFTER_S: Final = 1.0
"""How long a connection is taken to be good after it was used, without asking."""

ANSWER_TIMEOUT_S: Final = 1.0
"""How long a connection has to say that it lives."""


def connect_parameters(url: URL) -> dict[str, Any]:
    """Return what the operator's address leaves open: what it says itself holds."""
    return {name: value for name, value in CONNECT_PARAMETERS.items() if name not in url.query}


def check_before_use(engine: Engine) -> None:
    """Let an engine's pool ask idle connections, and replace those that do not answer.

    Behind a pooler, which lends the server's connections out between transactions, statements
    get no names there.
    """
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "checkin", _note_use)
    event.listen(engine, "checkout", _check_idle)


def _prepare(connection: Any, _record: object) -> None:  # noqa: ANN401
    if is_pooled(connection.pgconn):
        connection.prepare_threshold = None


def is_pooled(wire: PGconn) -> bool:
    """Tell whether a pooler lends the server's connections out: the next may be another one.

    It tells everybody a number of its own in place of the backend's.
    """
    number = wire.exec_(b"SELECT pg_backend_pid()").get_value(0, 0)
    return number is None or int(number) != wire.backend_pid


def _note_use(_connection: object, record: ConnectionPoolEntry) -> None:
    record.info["used_at"] = monotonic()


def _check_idle(_connection: object, record: ConnectionPoolEntry, _proxy: object) -> None:
    used_at = record.info.get("used_at")
    if used_at is None or monotonic() - used_at < RECHECK_AFTER_S:
        return
    if not _answers(cast("psycopg.Connection", record.driver_connection)):
        raise InvalidatePoolError("the connection is dead")


def _answers(connection: psycopg.Connection) -> bool:
    """Tell whether a connection says anything in time."""
    wire, ends = connection.pgconn, monotonic() + ANSWER_TIMEOUT_S
    try:
        wire.send_query(b"")
        while not _read_answers(wire):
            left = ends - monotonic()
            if left <= 0 or not select([wire.socket], [], [], left)[0]:
                return False
            wire.consume_input()
    except (psycopg.Error, OSError):
        return False
    return True


def _read_answers(wire: PGconn) -> bool:
    """Take the answers that are there; tell whether they are all."""
    wire.flush()
    while not wire.is_busy():
        if wire.get_result() is None:
            return True
    return False

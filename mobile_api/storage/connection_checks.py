"""Connections to PostgreSQL: timeouts, and a check before an idle one is used.

Without timeouts TCP notices a vanished server after 15 minutes; a pooler may accept everything
and never answer.
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
"""libpq parameters in seconds; ``tcp_user_timeout`` in milliseconds."""

RECHECK_AFTER_S: Final = 1.0
"""A connection used more recently is not checked."""

ANSWER_TIMEOUT_S: Final = 1.0
"""How long a connection may take to answer the check."""


def connect_parameters(url: URL) -> dict[str, Any]:
    """Return the defaults that the operator's URL does not set."""
    return {name: value for name, value in CONNECT_PARAMETERS.items() if name not in url.query}


def check_before_use(engine: Engine) -> None:
    """Make the pool check idle connections; disable prepared statements behind a pooler."""
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "checkin", _note_use)
    event.listen(engine, "checkout", _check_idle)


def _prepare(connection: Any, _record: object) -> None:  # noqa: ANN401
    if is_pooled(connection.pgconn):
        connection.prepare_threshold = None


def is_pooled(wire: PGconn) -> bool:
    """Tell whether a pooler is in between: it reports its own number as the backend's pid."""
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
    """Tell whether the connection answers in time."""
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
    """Consume pending results; tell whether they are complete."""
    wire.flush()
    while not wire.is_busy():
        if wire.get_result() is None:
            return True
    return False

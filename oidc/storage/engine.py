"""Engines of both services' databases, SQLite or PostgreSQL.

SQLite: WAL, synchronous=FULL, foreign keys on; a transaction that writes starts with BEGIN
IMMEDIATE, so that two writers wait at the start instead of failing half-way.

PostgreSQL: without timeouts TCP notices a vanished server after 15 minutes, and a pooler may
accept everything and never answer; so an idle connection is checked before it is used.
"""

from __future__ import annotations

from select import select
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, cast

import psycopg
from sqlalchemy import create_engine, event, make_url
from sqlalchemy.exc import InvalidatePoolError

if TYPE_CHECKING:
    from psycopg.pq.abc import PGconn
    from sqlalchemy import URL, Connection, Engine
    from sqlalchemy.pool import ConnectionPoolEntry

KEPT_CONNECTIONS: Final = 20
"""Idle connections that stay open."""

WRITES: Final = "thenar_writes"
"""Execution option of connections that write."""

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


def open_engine(
    url: str, *, most_connections: int, wait_s: int, secure_delete: bool = False
) -> Engine:
    """Return an engine whose errors never show statement parameters.

    Args:
        url: of the database.
        most_connections: more wait for one to be free.
        wait_s: how long they wait, and a SQLite writer for another one.
        secure_delete: SQLite overwrites what is deleted.
    """
    parsed = make_url(url)
    is_server = parsed.get_backend_name() != "sqlite"
    engine = create_engine(
        parsed,
        pool_size=KEPT_CONNECTIONS,
        max_overflow=most_connections - KEPT_CONNECTIONS,
        pool_timeout=wait_s,
        pool_use_lifo=True,  # the one used last still holds what SQLite read for it
        hide_parameters=True,
        connect_args=connect_parameters(parsed) if is_server else {},
    )
    if is_server:
        _check_before_use(engine)
    else:
        _prepare_sqlite(engine, wait_s, secure_delete=secure_delete)
    return engine


def writing(engine: Engine) -> Engine:
    """Return the engine for writing transactions: on SQLite they take the lock at BEGIN."""
    return engine.execution_options(**{WRITES: True})


def _prepare_sqlite(engine: Engine, wait_s: int, *, secure_delete: bool) -> None:
    pragmas = [
        f"busy_timeout={wait_s * 1000}",
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
        *(["secure_delete=ON"] if secure_delete else []),
    ]

    def prepare(connection: Any, _record: object) -> None:  # noqa: ANN401
        connection.isolation_level = None  # the driver begins too late and never IMMEDIATE
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}")

    event.listen(engine, "connect", prepare)
    event.listen(engine, "begin", _begin_sqlite)


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get(WRITES)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def connect_parameters(url: URL) -> dict[str, Any]:
    """Return the defaults that the operator's URL does not set."""
    return {name: value for name, value in CONNECT_PARAMETERS.items() if name not in url.query}


def _check_before_use(engine: Engine) -> None:
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
    """Check a connection that is not new; the pool replaces a dead one and those as old."""
    used_at = record.info.get("used_at")
    if used_at is None or monotonic() - used_at < RECHECK_AFTER_S:
        return
    if not responds(cast("psycopg.Connection", record.driver_connection)):
        raise InvalidatePoolError("the connection is dead")


def responds(connection: psycopg.Connection) -> bool:
    """Tell whether an idle connection answers in time."""
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

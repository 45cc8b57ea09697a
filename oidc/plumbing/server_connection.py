"""Connections to PostgreSQL on which neither side waits for ever.

Here: each answer has a deadline, and a dead machine is noticed by TCP. Idle connections are
checked before use, because a pooler that hangs accepts everything and answers nothing.

On the server: a transaction that hears nothing more is ended, with its locks. Its limits are
in the message of its BEGIN, so that they hold behind a pooler, too.

Work that ``greenlet_spawn`` runs waits in the event loop, which serves others meanwhile.
"""

from asyncio import CancelledError
from functools import cache
from time import monotonic, sleep
from typing import Any, Final, Self, TypeVar

import psycopg
from psycopg.abc import PQGen
from psycopg.waiting import wait_async
from sqlalchemy import URL
from sqlalchemy.util.concurrency import await_, in_greenlet

from oidc.plumbing.patience import Patience, current_patience, patience

T = TypeVar("T")

TIMEOUTS: Final[dict[str, Any]] = {
    "connect_timeout": 5,
    "keepalives": 1,
    "keepalives_idle": 10,
    "keepalives_interval": 3,
    "keepalives_count": 3,
    "tcp_user_timeout": 5000,
}
"""libpq parameters in seconds; ``tcp_user_timeout`` in milliseconds."""

SERVER_TIMEOUTS: Final = {
    "tcp_keepalives_idle": 10,
    "tcp_keepalives_interval": 3,
    "tcp_keepalives_count": 3,
    "tcp_user_timeout": 5000,
}
"""The same for the server's side: by default it waits two hours for a machine that vanished."""

RECHECK_AFTER_S: Final = 1.0
"""A connection is not checked again so soon after a reply."""

RESTART_S: Final = 5.0
"""How long a server that was lost has to come back before requests fail."""

_HOUR_S: Final = 3600.0

CHECK: Final = Patience(answer_s=1, lock_s=0, idle_s=0)
"""How long a connection has to respond."""


class ServerConnection(psycopg.Connection[Any]):
    """A connection that is closed when an answer comes too late: its state is unknown."""

    @classmethod
    def awaited(cls, lost: dict[str, float], **parameters: Any) -> Self:  # noqa: ANN401 - of libpq
        """Connect, or try again while the server may be starting again. Blocking.

        ``lost`` keeps since when no connection succeeds: empty while the server answers.
        """
        began = monotonic()
        while True:
            try:
                new = cls.prepared(**parameters)
            except psycopg.OperationalError:
                if monotonic() - lost.setdefault("since", began) >= RESTART_S:
                    raise
                sleep(CHECK.answer_s / 4)
            else:
                lost.clear()
                return new

    @classmethod
    def prepared(cls, **parameters: Any) -> Self:  # noqa: ANN401 - of libpq
        """Connect; the driver's own BEGIN would say nothing of limits. Blocking."""
        new = cls.connect(**parameters, autocommit=True)
        try:
            new.prepare_session()
        except BaseException:
            new.close()
            raise
        return new

    def wait(self, gen: PQGen[T], interval: float = 0.1, timeout: float | None = None) -> T:
        """Wait for an answer. Raises ``psycopg.OperationalError`` after the deadline."""
        timeout = timeout or current_patience().answer_s or None
        ends = monotonic() + (timeout or 0)
        try:
            if in_greenlet():
                return self._wait_in_loop(gen, timeout)
            return super().wait(gen, interval, timeout)
        except psycopg.OperationalError:
            if timeout is not None and monotonic() >= ends:
                self.pgconn.finish()
            raise

    def _wait_in_loop(self, gen: PQGen[T], timeout: float | None) -> T:
        try:
            return await_(wait_async(gen, self.pgconn.socket, timeout or _HOUR_S, timeout))
        except CancelledError:  # the rest of the answer would be the next one's
            self.pgconn.finish()
            raise

    def begin(self) -> None:
        """Begin a transaction that the server ends if it hears nothing more."""
        self.execute(_begin(current_patience()), prepare=False)

    def responds(self) -> bool:
        """Return whether an idle connection answers an empty query in time."""
        try:
            with patience(CHECK):
                self.execute(b"", prepare=False)
        except psycopg.Error:
            return False
        return True

    def prepare_session(self) -> None:
        """Disable prepared statements behind a pooler; else have the server watch TCP."""
        if is_pooled(self):
            self.prepare_threshold = None
            return
        settings = (f"SET {name} = {value}" for name, value in SERVER_TIMEOUTS.items())
        self.execute("; ".join(settings).encode(), prepare=False)


@cache
def _begin(allowed: Patience) -> bytes:
    return (
        f"BEGIN; SET LOCAL idle_in_transaction_session_timeout = '{allowed.idle_s}s';"
        f" SET LOCAL lock_timeout = '{allowed.lock_s}s'"
    ).encode()


def timeouts(url: URL) -> dict[str, Any]:
    """Return the parameters that the operator's URL does not set."""
    return {name: value for name, value in TIMEOUTS.items() if name not in url.query}


def parameters_of(url: URL) -> dict[str, Any]:
    """Return the driver's connection parameters for a PostgreSQL URL."""
    _, parameters = url.get_dialect()().create_connect_args(url)
    return {**timeouts(url), **parameters}


def is_pooled(connection: psycopg.Connection[Any]) -> bool:
    """Return whether a pooler shares the connection: its process id is not the backend's.

    Blocking.

    Raises:
        psycopg.OperationalError: the connection is dead.
    """
    row = connection.execute(b"SELECT pg_backend_pid()", prepare=False).fetchone()
    return row is None or row[0] != connection.info.backend_pid

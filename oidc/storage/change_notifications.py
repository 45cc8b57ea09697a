"""Receives login changes from PostgreSQL: LISTEN, on one connection.

The trigger of migration 0015 sends a digest of each changed login. Notifications are lost
while the connection is down, so a new one reports that anything may have changed. A
half-open connection looks alive: it notifies itself now and then, and counts as down if
that does not arrive. Behind a pooler nothing is received.
"""

import asyncio
import logging
import secrets
from collections.abc import Awaitable
from contextlib import suppress
from typing import Any, Final, Protocol, TypeVar

import psycopg
from psycopg.abc import PQGen
from psycopg.waiting import wait_async
from sqlalchemy import make_url

from oidc.plumbing.server_connection import parameters_of

T = TypeVar("T")

CHANNEL: Final = "thenar_logins"
"""As in the trigger."""

APPLICATION: Final = "thenar listener"
"""Shown to operators in ``pg_stat_activity``."""

_PING_PREFIX: Final = "hear "
_PING_INTERVAL_S: Final = 5.0
_ANSWER_S: Final = 3.0
_POOLED_S: Final = 60.0
"""Pause before checking for a pooler again."""

_PAUSES_S: Final = (0.1, 0.5, 2.0, 5.0)
"""Pauses before reconnecting; the last one repeats."""

LOGGER: Final = logging.getLogger(__name__)


class ChangeListener(Protocol):
    """Receives notifications, in the event loop."""

    def notify(self, name: str) -> None:
        """Report that a login changed; see ``login_watch.notification_key``."""

    def set_active(self, *, active: bool) -> None:
        """Set whether all changes are reported from now on; earlier ones may be missed."""


class _Connection(psycopg.AsyncConnection[Any]):
    async def wait(
        self, gen: PQGen[T], interval: float = _PING_INTERVAL_S, timeout: float | None = None
    ) -> T:
        """Wait in the loop; by default the driver looks up ten times a second."""
        return await wait_async(gen, self.pgconn.socket, interval, timeout)


class LoginNotifications:
    """Receives notifications for one process.

    Args:
        url: of a PostgreSQL database.
        listener: called in the event loop.
    """

    def __init__(self, url: str, listener: ChangeListener) -> None:
        self._parameters: dict[str, Any] = {
            "application_name": APPLICATION,
            **parameters_of(make_url(url)),
        }
        self._listener = listener
        self._ping_text = ""
        self._is_active = False

    async def listen(self) -> None:
        """Listen until cancelled, reconnecting as needed."""
        attempt = 0
        while True:
            with suppress(psycopg.Error, OSError, TimeoutError):
                opening = _Connection.connect(**self._parameters, autocommit=True)
                await self._listen_once(opening)
            attempt = 0 if self._is_active else attempt + 1
            self._set_active(active=False)
            await asyncio.sleep(_PAUSES_S[min(attempt, len(_PAUSES_S) - 1)])

    async def _listen_once(self, opening: Awaitable[psycopg.AsyncConnection]) -> None:
        """Listen on one connection until it ends or stops receiving."""
        async with await opening as connection:
            if await _is_pooled(connection):
                # The pooler would give the listening connection to others.
                await asyncio.sleep(_POOLED_S)
                return
            await connection.execute(f"LISTEN {CHANNEL}")
            while True:
                await self._ping(connection)
                async for notification in connection.notifies(timeout=_PING_INTERVAL_S):
                    self._receive(notification.payload)
                if self._ping_text:
                    raise TimeoutError("the connection receives no notifications")

    async def _ping(self, connection: psycopg.AsyncConnection) -> None:
        self._ping_text = _PING_PREFIX + secrets.token_hex(8)
        async with asyncio.timeout(_ANSWER_S):
            await connection.execute("SELECT pg_notify(%s, %s)", (CHANNEL, self._ping_text))

    def _receive(self, payload: str) -> None:
        if payload == self._ping_text:
            self._ping_text = ""
            self._set_active(active=True)
        elif not payload.startswith(_PING_PREFIX):
            self._listener.notify(payload)

    def _set_active(self, *, active: bool) -> None:
        """Report a change of state: notifications may have been missed."""
        if active == self._is_active:
            return
        self._is_active = active
        self._listener.set_active(active=active)
        if not active:
            LOGGER.warning("no change notifications from PostgreSQL: login pages are polled")


async def _is_pooled(connection: psycopg.AsyncConnection) -> bool:
    """Return whether a pooler shares the connection; a full one says nothing for minutes."""
    async with asyncio.timeout(_ANSWER_S):
        asked = await connection.execute("SELECT pg_backend_pid()")
        row = await asked.fetchone()
    return row is None or row[0] != connection.info.backend_pid


def login_notifications(url: str, listener: ChangeListener) -> LoginNotifications | None:
    """Return the receiver; None for SQLite, which sends none."""
    return (
        LoginNotifications(url, listener)
        if make_url(url).get_backend_name() == "postgresql"
        else None
    )

"""Hears from PostgreSQL which logins moved, whoever moved them: LISTEN, on one connection.

The trigger of migration 0011 names each login by a digest. What was told while the connection
was down is lost, so every new connection says that anything may have happened. A connection can
also be deaf without being down (half-open): it hears itself now and then, and counts as down
when it does not. Behind a pooler nobody listens.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import psycopg
from sqlalchemy import make_url

from oidc.storage.sql.connection_checks import is_pooled, parameters_of

if TYPE_CHECKING:
    from oidc.storage.change_notifications import ChangeListener

CHANNEL: Final = "thenar_logins"
"""As in the trigger."""

APPLICATION: Final = "thenar listener"
"""What operators see in ``pg_stat_activity``."""

_PING_PREFIX: Final = "hear "
_PING_INTERVAL_S: Final = 5.0
_ANSWER_S: Final = 3.0
_POOLED_S: Final = 60.0
"""Before it is looked again whether there is still a pooler in between."""

_PAUSES_S: Final = (0.1, 0.5, 2.0, 5.0)
"""Before each further attempt to connect; the last of them again and again."""

_log = logging.getLogger(__name__)


class LoginNotifications:
    """What one process hears.

    Args:
        url: of a PostgreSQL database.
        listener: is told, in the event loop.
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
        """Listen until cancelled, over as many connections as it takes."""
        attempt = 0
        while True:
            with suppress(psycopg.Error, OSError, TimeoutError):
                await self._listen_once()
            attempt = 0 if self._is_active else attempt + 1
            self._set_active(active=False)
            await asyncio.sleep(_PAUSES_S[min(attempt, len(_PAUSES_S) - 1)])

    async def _listen_once(self) -> None:
        """Listen on one connection until it ends or turns out to be deaf."""
        async with await psycopg.AsyncConnection.connect(
            **self._parameters, autocommit=True
        ) as connection:
            if is_pooled(connection.pgconn):
                # The pooler would lend the connection that listens to somebody else.
                await asyncio.sleep(_POOLED_S)
                return
            await connection.execute(f"LISTEN {CHANNEL}")
            while True:
                await self._ping(connection)
                async for notification in connection.notifies(timeout=_PING_INTERVAL_S):
                    self._receive(notification.payload)
                if self._ping_text:
                    raise TimeoutError("the connection is deaf")

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
        """Say so when it changes; either way, something may have happened that was not told."""
        if active == self._is_active:
            return
        self._is_active = active
        self._listener.set_active(active=active)
        if not active:
            _log.warning("PostgreSQL does not tell what moves: waiting pages are polled for")


def login_notifications(url: str, listener: ChangeListener) -> LoginNotifications | None:
    """Return what listens for an listener; None where the database tells nothing: SQLite."""
    return (
        LoginNotifications(url, listener)
        if make_url(url).get_backend_name() == "postgresql"
        else None
    )

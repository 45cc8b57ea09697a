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

from oidc.storage.sql.server import is_lent, parameters_of

if TYPE_CHECKING:
    from oidc.storage.news import Audience

CHANNEL: Final = "thenar_logins"
"""As in the trigger."""

APPLICATION: Final = "thenar listener"
"""What operators see in ``pg_stat_activity``."""

_PROOF_PREFIX: Final = "hear "
_PROOF_INTERVAL_S: Final = 5.0
_ANSWER_S: Final = 3.0
_LENT_S: Final = 60.0
"""Before it is looked again whether there is still a pooler in between."""

_PAUSES_S: Final = (0.1, 0.5, 2.0, 5.0)
"""Before each further attempt to connect; the last of them again and again."""

_log = logging.getLogger(__name__)


class LoginNews:
    """What one process hears.

    Args:
        url: of a PostgreSQL database.
        audience: is told, in the event loop.
    """

    def __init__(self, url: str, audience: Audience) -> None:
        self._parameters: dict[str, Any] = {
            "application_name": APPLICATION,
            **parameters_of(make_url(url)),
        }
        self._audience = audience
        self._proof = ""
        self._is_heard = False

    async def listen(self) -> None:
        """Listen until cancelled, over as many connections as it takes."""
        attempt = 0
        while True:
            with suppress(psycopg.Error, OSError, TimeoutError):
                await self._listen_once()
            attempt = 0 if self._is_heard else attempt + 1
            self._is_now(heard=False)
            await asyncio.sleep(_PAUSES_S[min(attempt, len(_PAUSES_S) - 1)])

    async def _listen_once(self) -> None:
        """Listen on one connection until it ends or turns out to be deaf."""
        async with await psycopg.AsyncConnection.connect(
            **self._parameters, autocommit=True
        ) as connection:
            if is_lent(connection.pgconn):
                # The pooler would lend the connection that listens to somebody else.
                await asyncio.sleep(_LENT_S)
                return
            await connection.execute(f"LISTEN {CHANNEL}")
            while True:
                await self._say_something(connection)
                async for news in connection.notifies(timeout=_PROOF_INTERVAL_S):
                    self._hear(news.payload)
                if self._proof:
                    raise TimeoutError("the connection is deaf")

    async def _say_something(self, connection: psycopg.AsyncConnection) -> None:
        self._proof = _PROOF_PREFIX + secrets.token_hex(8)
        async with asyncio.timeout(_ANSWER_S):
            await connection.execute("SELECT pg_notify(%s, %s)", (CHANNEL, self._proof))

    def _hear(self, payload: str) -> None:
        if payload == self._proof:
            self._proof = ""
            self._is_now(heard=True)
        elif not payload.startswith(_PROOF_PREFIX):
            self._audience.tell(payload)

    def _is_now(self, *, heard: bool) -> None:
        """Say so when it changes; either way, something may have happened that was not told."""
        if heard == self._is_heard:
            return
        self._is_heard = heard
        self._audience.rely(told=heard)
        if not heard:
            _log.warning("PostgreSQL does not tell what moves: waiting pages are polled for")


def login_news(url: str, audience: Audience) -> LoginNews | None:
    """Return what listens for an audience; None where the database tells nothing: SQLite."""
    return (
        LoginNews(url, audience) if make_url(url).get_backend_name() == "postgresql" else None
    )

"""Browser sessions in SQL."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from sqlalchemy import delete, insert, select

from oidc.storage.schema import browser_sessions
from oidc.storage.sessions import BrowserSession
from oidc.types import AccountId, SessionId

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import ColumnElement, Connection


class SqlSessions:
    """Implements ``SessionStore``."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, session: BrowserSession) -> None:
        """Add a session."""
        self._connection.execute(insert(browser_sessions).values(asdict(session)))

    def find(self, digest: bytes) -> BrowserSession | None:
        """Return the session, possibly expired, or None."""
        query = select(browser_sessions).where(browser_sessions.c.digest == digest)
        row = self._connection.execute(query).mappings().one_or_none()
        if row is None:
            return None
        return BrowserSession(
            digest=row["digest"],
            session_id=SessionId(row["session_id"]),
            account=AccountId(row["account"]),
            auth_time=row["auth_time"],
            amr=tuple(row["amr"]),
            expires_at=row["expires_at"],
        )

    def lock(self, digest: bytes) -> bool:
        """Lock a session against deletion; False if it is gone."""
        query = select(browser_sessions.c.digest).where(browser_sessions.c.digest == digest)
        locked = self._connection.execute(query.with_for_update(read=True))
        return locked.one_or_none() is not None

    def remove(self, session_id: SessionId) -> None:
        """Delete a session."""
        self._remove(browser_sessions.c.session_id == session_id)

    def remove_of(self, account: AccountId) -> None:
        """Delete all sessions of an account."""
        self._remove(browser_sessions.c.account == account)

    def purge(self, now: datetime) -> int:
        """Delete expired sessions."""
        over = select(browser_sessions.c.digest).where(browser_sessions.c.expires_at <= now)
        # Skips rows locked by another sweep.
        free = over.with_for_update(skip_locked=True)
        return self._remove(browser_sessions.c.digest.in_(free))

    def _remove(self, condition: ColumnElement[bool]) -> int:
        return self._connection.execute(delete(browser_sessions).where(condition)).rowcount

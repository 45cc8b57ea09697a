"""Store of browser sessions, by digest. They last minutes."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import delete, select

from oidc.plumbing.store import Store
from oidc.storage import schema as t
from oidc.types import AccountId, Level, SessionId


@dataclass(frozen=True, slots=True)
class BrowserSession:
    """A browser in which a palm was shown a short time ago.

    Attributes:
        digest: SHA-256 of the cookie.
        session_id: shared by the session's grants.
        auth_time: when the palm was recognised.
        level: what was shown.
    """

    digest: bytes = field(repr=False)
    session_id: SessionId = field(repr=False)
    account: AccountId = field(repr=False)
    auth_time: datetime
    level: Level
    expires_at: datetime


class SessionStore(Store):
    """Stores browser sessions."""

    def add(self, session: BrowserSession) -> None:
        """Add a session."""
        self._add(t.browser_sessions, session)

    def find(self, digest: bytes) -> BrowserSession | None:
        """Return the session, possibly expired, or None."""
        query = select(t.browser_sessions).where(t.browser_sessions.c.digest == digest)
        return self._one(BrowserSession, query)

    def lock(self, digest: bytes) -> bool:
        """Lock a session against deletion until this transaction ends; False if it is gone."""
        query = select(t.browser_sessions.c.digest).where(t.browser_sessions.c.digest == digest)
        return self._exists(query.with_for_update(read=True))

    def remove(self, session_id: SessionId) -> None:
        """Delete a session."""
        self._changed(
            delete(t.browser_sessions).where(t.browser_sessions.c.session_id == session_id)
        )

    def remove_of(self, account: AccountId) -> None:
        """Delete all sessions of an account."""
        self._changed(delete(t.browser_sessions).where(t.browser_sessions.c.account == account))

    def purge(self, now: datetime) -> int:
        """Delete expired sessions; return how many."""
        return self._purge(t.browser_sessions.c.digest, t.browser_sessions.c.expires_at <= now)

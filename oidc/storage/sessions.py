"""Store of browser sessions, by digest. They last minutes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from oidc.types import AccountId, SessionId


@dataclass(frozen=True, slots=True)
class BrowserSession:
    """A browser in which a palm was shown a short time ago.

    Attributes:
        digest: SHA-256 of the cookie.
        session_id: shared by the session's grants.
        auth_time: when the palm was recognised.
        amr: authentication methods (RFC 8176).
    """

    digest: bytes = field(repr=False)
    session_id: SessionId = field(repr=False)
    account: AccountId = field(repr=False)
    auth_time: datetime
    amr: tuple[str, ...]
    expires_at: datetime


class SessionStore(Protocol):
    """Stores browser sessions."""

    def add(self, session: BrowserSession) -> None:
        """Add a session."""

    def find(self, digest: bytes) -> BrowserSession | None:
        """Return the session, possibly expired, or None."""

    def lock(self, digest: bytes) -> bool:
        """Lock a session against deletion until this transaction ends; False if it is gone."""

    def remove(self, session_id: SessionId) -> None:
        """Delete a session."""

    def remove_of(self, account: AccountId) -> None:
        """Delete all sessions of an account."""

    def purge(self, now: datetime) -> int:
        """Delete expired sessions; return how many."""

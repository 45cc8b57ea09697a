"""Port: sessions of browsers, known by the digests of their secrets. They live for minutes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from oidc.types import AccountId, SessionId


@dataclass(frozen=True, slots=True)
class BrowserSession:
    """A browser at which a palm was shown a short time ago.

    Attributes:
        digest: SHA-256 of the secret in its cookie.
        session_id: what the grants made in it have in common.
        account: whose palm it was.
        auth_time: when the palm was recognised; aware, UTC.
        amr: how (RFC 8176).
        expires_at: when a palm is needed again; aware, UTC.
    """

    digest: bytes = field(repr=False)
    session_id: SessionId = field(repr=False)
    account: AccountId = field(repr=False)
    auth_time: datetime
    amr: tuple[str, ...]
    expires_at: datetime


class SessionStore(Protocol):
    """Keeps sessions of browsers."""

    def add(self, session: BrowserSession) -> None:
        """Keep a new session."""

    def find(self, digest: bytes) -> BrowserSession | None:
        """Return the session, possibly an expired one, or None."""

    def lock(self, digest: bytes) -> bool:
        """Keep a session from ending before this transaction does; False if it has ended."""

    def remove(self, session_id: SessionId) -> None:
        """Forget a session: from now on its browser is a stranger."""

    def remove_of(self, account: AccountId) -> None:
        """Forget every session of an account."""

    def purge(self, now: datetime) -> int:
        """Forget expired sessions with their accounts; return how many."""

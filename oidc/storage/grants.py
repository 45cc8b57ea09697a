"""Store of grants. Codes and tokens are valid as long as their grant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from oidc.types import ClientId, Grant, GrantId, PairwiseSubject, SessionId, Sid


class GrantStore(Protocol):
    """Stores grants and their revocation."""

    def add(self, grant: Grant, expires_at: datetime) -> None:
        """Add a grant, to be deleted after ``expires_at``."""

    def find(self, grant_id: GrantId) -> Grant | None:
        """Return the grant; None if unknown or revoked."""

    def find_any(self, grant_id: GrantId) -> Grant | None:
        """Return the grant, revoked or not; None if unknown."""

    def revoke(self, grant_id: GrantId, now: datetime) -> None:
        """Revoke the grant and with it all its codes and tokens."""

    def revoke_subjects(
        self, subjects: Sequence[PairwiseSubject], now: datetime
    ) -> list[Grant]:
        """Revoke all grants of these subjects; return those that were valid."""

    def of_session(self, session_id: SessionId) -> list[Grant]:
        """Return all grants of a session, including revoked ones, by ``grant_id``."""

    def session_of(self, client_id: ClientId, sid: Sid) -> SessionId | None:
        """Return the session that this client knows as ``sid``, or None."""

    def purge(self, expired_before: datetime) -> int:
        """Delete grants expired before then, with codes and tokens; return how many."""

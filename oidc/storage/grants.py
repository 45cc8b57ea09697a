"""Port: grants, from which codes, refresh tokens and access tokens live."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from oidc.types import ClientId, Grant, GrantId, PairwiseSubject, SessionId, Sid


class GrantStore(Protocol):
    """Keeps grants and remembers which are revoked."""

    def add(self, grant: Grant, expires_at: datetime) -> None:
        """Keep a new grant, at least until then."""

    def find(self, grant_id: GrantId) -> Grant | None:
        """Return the grant; None if it is unknown or revoked."""

    def find_any(self, grant_id: GrantId) -> Grant | None:
        """Return the grant, revoked or not; None if it is unknown."""

    def revoke(self, grant_id: GrantId, now: datetime) -> None:
        """Kill the grant and with it every code and token made from it."""

    def revoke_subjects(
        self, subjects: Sequence[PairwiseSubject], now: datetime
    ) -> list[Grant]:
        """Kill every grant for these subjects; return those that were alive."""

    def of_session(self, session_id: SessionId) -> list[Grant]:
        """Return every grant made in a session, revoked ones too."""

    def session_of(self, client_id: ClientId, sid: Sid) -> SessionId | None:
        """Return which session a client means; None if it knows none by that name."""

    def purge(self, expired_before: datetime) -> int:
        """Delete grants, with their codes and tokens, that ended before then; count them."""

"""Ends what a restored backup may have revived."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Delete, Update, delete, update

from oidc.plumbing.store import Store
from oidc.storage import schema as t
from oidc.storage.stores.logins.logins import ended
from oidc.types import OPEN_STATES, LoginState


@dataclass(frozen=True, slots=True)
class EndedCounts:
    """How many of each were valid.

    Attributes:
        sessions: of browsers and of the portal.
        invitations: open invitations of developers, and initial access tokens.
    """

    grants: int
    sessions: int
    logins: int
    invitations: int


class RestoreStore(Store):
    """Ends everything that may have ended after the backup."""

    def end_all(self, now: datetime) -> EndedCounts:
        """End all grants, sessions, open logins, invitations and initial access tokens.

        Clients, signing keys, pseudonyms and consents stay.
        """
        living = update(t.grants).where(t.grants.c.revoked_at.is_(None))
        counts = EndedCounts(
            grants=self._count(living.values(revoked_at=now)),
            sessions=self._count(delete(t.browser_sessions), delete(t.portal_sessions)),
            logins=self._count(_cancelled(now)),
            invitations=self._count(*_spent(now), delete(t.client_invitations)),
        )
        self._count(delete(t.known_browsers), delete(t.pushed_requests))
        return counts

    def _count(self, *changes: Delete | Update) -> int:
        return sum(map(self._changed, changes))


def _cancelled(now: datetime) -> Update:
    living = update(t.logins).where(t.logins.c.state.in_(sorted(OPEN_STATES)))
    return living.values(**ended(LoginState.CANCELLED), expires_at=now)


def _spent(now: datetime) -> tuple[Update, Update]:
    """Return the UPDATEs that end open invitations and initial access tokens."""
    open_ones = t.developers.c.invitation_digest.is_not(None) & (
        t.developers.c.invitation_ends_at > now
    )
    good = t.initial_access_tokens.c.revoked_at.is_(None)
    return (
        update(t.developers).where(open_ones).values(invitation_ends_at=now),
        update(t.initial_access_tokens).where(good).values(revoked_at=now),
    )

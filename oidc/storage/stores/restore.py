"""Ends what a restored backup may have revived."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import delete, update

from oidc.plumbing.store import Store
from oidc.storage.schema import (
    browser_sessions,
    client_invitations,
    developers,
    grants,
    initial_access_tokens,
    known_browsers,
    logins,
    portal_sessions,
    pushed_requests,
)
from oidc.types import OPEN_STATES, LoginState

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Delete, Update


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
        living = update(grants).where(grants.c.revoked_at.is_(None))
        ended = EndedCounts(
            grants=self._count(living.values(revoked_at=now)),
            sessions=self._count(delete(browser_sessions), delete(portal_sessions)),
            logins=self._count(_cancelled(now)),
            invitations=self._count(*_spent(now), delete(client_invitations)),
        )
        self._count(delete(known_browsers), delete(pushed_requests))
        return ended

    def _count(self, *changes: Delete | Update) -> int:
        return sum(self._connection.execute(change).rowcount for change in changes)


def _cancelled(now: datetime) -> Update:
    return (
        update(logins)
        .where(logins.c.state.in_(sorted(OPEN_STATES)))
        .values(
            state=LoginState.CANCELLED,
            seq=logins.c.seq + 1,
            expires_at=now,
            account=None,
            expected_account=None,
            confirmation_code=None,
        )
    )


def _spent(now: datetime) -> tuple[Update, Update]:
    """Return the UPDATEs that end open invitations and initial access tokens."""
    open_ones = developers.c.invitation_digest.is_not(None) & (
        developers.c.invitation_ends_at > now
    )
    good = initial_access_tokens.c.revoked_at.is_(None)
    return (
        update(developers).where(open_ones).values(invitation_ends_at=now),
        update(initial_access_tokens).where(good).values(revoked_at=now),
    )

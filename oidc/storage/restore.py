"""Port: what a backup brought back and nobody can tell from what was ended since."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True)
class EndedCounts:
    """How much was alive.

    Attributes:
        grants: with their codes, refresh tokens and access tokens.
        sessions: of browsers, people's and developers'.
        logins: that waited.
        invitations: of developers, not taken yet, and initial access tokens.
    """

    grants: int
    sessions: int
    logins: int
    invitations: int


class RestoreStore(Protocol):
    """Ends what may have been ended before."""

    def end_all(self, now: datetime) -> EndedCounts:
        """End every grant, session, open login, invitation and initial access token.

        Clients, signing keys, pseudonyms and consents stay as the backup had them.
        """

"""Ends what a restored backup may have revived."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True)
class EndedCounts:
    """How many of each were valid.

    Attributes:
        sessions: of browsers and of the portal.
        invitations: open developer invitations and initial access tokens.
    """

    grants: int
    sessions: int
    logins: int
    invitations: int


class RestoreStore(Protocol):
    """Ends everything that may have ended after the backup."""

    def end_all(self, now: datetime) -> EndedCounts:
        """End all grants, sessions, open logins, invitations and initial access tokens.

        Clients, signing keys, pseudonyms and consents stay.
        """

"""Stores of portal developers, their clients and their sessions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NewType, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from oidc.types import Client, ClientId, PairwiseSubject

DeveloperId = NewType("DeveloperId", str)
"""Identifies an invited developer."""


@dataclass(frozen=True, slots=True)
class Developer:
    """An invited developer, joined or not.

    Attributes:
        note: the operator's own words.
        invitation_digest: SHA-256 of the invitation; None once used.
        subject: pseudonym at the portal; None before joining.
        joined_at: None before joining.
    """

    developer_id: DeveloperId
    email: str
    note: str
    invited_at: datetime
    invitation_ends_at: datetime
    invitation_digest: bytes | None = field(default=None, repr=False)
    subject: PairwiseSubject | None = field(default=None, repr=False)
    joined_at: datetime | None = None


class DeveloperStore(Protocol):
    """Stores invited developers."""

    def add(self, developer: Developer) -> None:
        """Add an invitation."""

    def all(self) -> list[Developer]:
        """Return all developers, oldest first."""

    def of_subject(self, subject: PairwiseSubject) -> Developer | None:
        """Return the developer with this subject, or None."""

    def is_invited(self, digest: bytes, now: datetime) -> bool:
        """Tell whether an invitation is valid now."""

    def join(self, digest: bytes, subject: PairwiseSubject, now: datetime) -> bool:
        """Use an invitation for this subject; False if it is not valid now.

        Atomic: of two concurrent calls, exactly one gets True.
        """

    def remove(self, developer_id: DeveloperId) -> bool:
        """Delete a developer and all sessions, not the clients; False if unknown."""


class OwnedClientStore(Protocol):
    """Stores which developer owns which client."""

    def assign(self, client_id: ClientId, developer_id: DeveloperId) -> None:
        """Make the developer the owner of a new client."""

    def find(self, client_id: ClientId, developer_id: DeveloperId) -> Client | None:
        """Return the client; None if it does not exist or belongs to another developer."""

    def of(self, developer_id: DeveloperId) -> list[Client]:
        """Return the developer's clients, oldest first."""


class PortalSessionStore(Protocol):
    """Stores portal sessions."""

    def begin(self, digest: bytes, developer_id: DeveloperId, expires_at: datetime) -> None:
        """Add a session."""

    def find(self, digest: bytes, now: datetime) -> Developer | None:
        """Return the session's developer; None if unknown or expired."""

    def end(self, digest: bytes) -> None:
        """Delete a session."""

    def purge(self, now: datetime) -> int:
        """Delete expired sessions; return how many."""

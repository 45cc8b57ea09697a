"""Ports: developers of the portal, their clients, and where they are signed in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NewType, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from oidc.types import Client, ClientId, PairwiseSubject

DeveloperId = NewType("DeveloperId", str)
"""Names one invited developer."""


@dataclass(frozen=True, slots=True)
class Developer:
    """Somebody who was invited, and has joined or not.

    Attributes:
        developer_id: names the row.
        email: where the operator sent the invitation.
        note: the operator's own words.
        invited_at: aware, UTC.
        invitation_ends_at: until when the invitation is good; aware, UTC.
        invitation_digest: of the invitation; None once it was used.
        subject: who it is to the portal; None before joining.
        joined_at: aware, UTC; None before joining.
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
    """Keeps whoever was invited."""

    def add(self, developer: Developer) -> None:
        """Keep a new invitation."""

    def all(self) -> list[Developer]:
        """Return everybody, oldest first."""

    def of_subject(self, subject: PairwiseSubject) -> Developer | None:
        """Return who joined as this subject; None if nobody did."""

    def is_invited(self, digest: bytes, now: datetime) -> bool:
        """Tell whether an invitation is good now."""

    def join(self, digest: bytes, subject: PairwiseSubject, now: datetime) -> bool:
        """Spend an invitation for this subject; False if it is not good now.

        Atomic: of two concurrent calls with one digest, exactly one is true.
        """

    def remove(self, developer_id: DeveloperId) -> bool:
        """Forget the developer and every session; the clients stay. False if there is none."""


class OwnedClientStore(Protocol):
    """Knows whose clients are whose."""

    def assign(self, client_id: ClientId, developer_id: DeveloperId) -> None:
        """Give a new client to a developer."""

    def find(self, client_id: ClientId, developer_id: DeveloperId) -> Client | None:
        """Return the client if it is this developer's; None alike for strangers' and none."""

    def of(self, developer_id: DeveloperId) -> list[Client]:
        """Return every client of the developer, oldest first."""


class PortalSessionStore(Protocol):
    """Keeps which browsers are signed in to the portal."""

    def begin(self, digest: bytes, developer_id: DeveloperId, expires_at: datetime) -> None:
        """Keep a new session."""

    def find(self, digest: bytes, now: datetime) -> Developer | None:
        """Return whose session this is; None if it is unknown or over."""

    def end(self, digest: bytes) -> None:
        """Forget a session."""

    def purge(self, now: datetime) -> int:
        """Forget what has expired; return how many."""

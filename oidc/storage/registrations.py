"""Stores of initial access tokens and dynamic registrations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from oidc.types import ClientId


@dataclass(frozen=True, slots=True)
class InitialAccessToken:
    """A stored token that permits client registration. RFC 7591 §1.2.

    Attributes:
        digest: SHA-256 of the token.
        name: who received it.
        revoked_at: None while it is valid.
    """

    token_id: str
    digest: bytes = field(repr=False)
    name: str
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Registration:
    """A dynamically registered client and its management token. RFC 7592 §1.

    Attributes:
        digest: SHA-256 of the registration access token.
        token_id: the initial access token that was used.
    """

    client_id: ClientId
    digest: bytes = field(repr=False)
    token_id: str
    registered_at: datetime


class InitialTokenStore(Protocol):
    """Stores initial access tokens."""

    def add(self, token: InitialAccessToken) -> None:
        """Add a token."""

    def find(self, digest: bytes) -> InitialAccessToken | None:
        """Return the token, even if revoked or expired; None if unknown.

        Locks it until the transaction ends, so that registrations are counted one by one.
        """

    def all(self) -> list[InitialAccessToken]:
        """Return all tokens, oldest first."""

    def revoke(self, token_id: str, now: datetime) -> bool:
        """Revoke the token; False if unknown or already revoked."""


class RegistrationStore(Protocol):
    """Stores dynamic registrations. Removing a client removes its row."""

    def add(self, registration: Registration) -> None:
        """Add a registration."""

    def find(self, client_id: ClientId) -> Registration | None:
        """Return the registration; None if the client did not register itself."""

    def replace_digest(self, before: Registration, digest: bytes) -> bool:
        """Replace the registration access token; False if it changed meanwhile.

        Atomic: of two concurrent calls, exactly one gets True.
        """

    def count_since(self, token_id: str, since: datetime) -> int:
        """Count the clients registered with this token since then."""

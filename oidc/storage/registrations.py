"""Ports: initial access tokens, and what clients that registered themselves hold."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from oidc.types import ClientId


@dataclass(frozen=True, slots=True)
class InitialAccessToken:
    """A token that lets its holder register clients, as it is kept. RFC 7591 §1.2.

    Attributes:
        token_id: names it to the operator.
        digest: SHA-256 of the token.
        name: whom it was given to.
        created_at: aware, UTC.
        expires_at: aware, UTC.
        revoked_at: aware, UTC; None while it is good.
    """

    token_id: str
    digest: bytes = field(repr=False)
    name: str
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Registration:
    """A client that registered itself, and the token that manages it. RFC 7592 §1.

    Attributes:
        client_id: which client.
        digest: SHA-256 of its registration access token.
        token_id: the initial access token it was registered with.
        registered_at: aware, UTC.
    """

    client_id: ClientId
    digest: bytes = field(repr=False)
    token_id: str
    registered_at: datetime


class InitialTokenStore(Protocol):
    """Keeps initial access tokens."""

    def add(self, token: InitialAccessToken) -> None:
        """Keep a new token."""

    def find(self, digest: bytes) -> InitialAccessToken | None:
        """Return the token, revoked or not, expired or not; None if there never was one.

        Until the transaction ends nobody else finds it: registrations are counted one by one.
        """

    def all(self) -> list[InitialAccessToken]:
        """Return every token, oldest first."""

    def revoke(self, token_id: str, now: datetime) -> bool:
        """End the token; False if it is unknown or revoked already."""


class RegistrationStore(Protocol):
    """Keeps which clients registered themselves. A removed client takes its row along."""

    def add(self, registration: Registration) -> None:
        """Keep a new registration."""

    def find(self, client_id: ClientId) -> Registration | None:
        """Return the registration; None if the client did not register itself."""

    def replace_digest(self, before: Registration, digest: bytes) -> bool:
        """Replace the registration access token; False if it was replaced meanwhile.

        Atomic: of two concurrent calls with one registration, exactly one gets True.
        """

    def count_since(self, token_id: str, since: datetime) -> int:
        """Return how many clients were registered with this token since then."""

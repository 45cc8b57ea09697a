"""Stores of initial access tokens and dynamic registrations."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import select, update

from oidc.plumbing.store import Store
from oidc.storage import schema as t
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


class InitialTokenStore(Store):
    """Stores initial access tokens."""

    def add(self, token: InitialAccessToken) -> None:
        """Add a token."""
        self._add(t.initial_access_tokens, token)

    def find(self, digest: bytes) -> InitialAccessToken | None:
        """Return the token, even if revoked or expired; None if unknown.

        Locks it until the transaction ends, so that registrations are counted one by one.
        """
        tokens = t.initial_access_tokens
        query = select(tokens).where(tokens.c.digest == digest).with_for_update()
        return self._one(InitialAccessToken, query)

    def all(self) -> list[InitialAccessToken]:
        """Return all tokens, oldest first."""
        columns = t.initial_access_tokens.c
        query = select(t.initial_access_tokens).order_by(columns.created_at, columns.token_id)
        return self._all(InitialAccessToken, query)

    def revoke(self, token_id: str, now: datetime) -> bool:
        """Revoke the token; False if unknown or already revoked."""
        columns = t.initial_access_tokens.c
        change = update(t.initial_access_tokens).where(
            columns.token_id == token_id, columns.revoked_at.is_(None)
        )
        return self._changed(change.values(revoked_at=now)) == 1


class RegistrationStore(Store):
    """Stores dynamic registrations. Removing a client removes its row."""

    def add(self, registration: Registration) -> None:
        """Add a registration."""
        self._add(t.registrations, registration)

    def find(self, client_id: ClientId) -> Registration | None:
        """Return the registration; None if the client did not register itself."""
        query = select(t.registrations).where(t.registrations.c.client_id == client_id)
        return self._one(Registration, query)

    def client_ids(self) -> set[str]:
        """Return the clients that registered themselves."""
        return set(self._connection.execute(select(t.registrations.c.client_id)).scalars())

    def replace_digest(self, before: Registration, digest: bytes) -> bool:
        """Replace the registration access token; False if it changed meanwhile.

        Atomic: of two concurrent calls, exactly one gets True.
        """
        change = update(t.registrations).where(
            t.registrations.c.client_id == before.client_id,
            t.registrations.c.digest == before.digest,
        )
        return self._changed(change.values(digest=digest)) == 1

    def count_since(self, token_id: str, since: datetime) -> int:
        """Count the clients registered with this token since then."""
        its = t.registrations.c.token_id == token_id
        return self._count_rows(its, t.registrations.c.registered_at >= since)

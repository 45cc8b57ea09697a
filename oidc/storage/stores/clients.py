"""Stores of apps: clients, their logos and recent errors, their registrations."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import bindparam, select

from oidc.client import Client
from oidc.plumbing.store import Prepared, Store, columns_of, rows, values_of
from oidc.storage import schema as t
from oidc.types import ClientId, SectorIdentifier

_FIND = Prepared(
    select(*columns_of(Client, t.clients)).where(t.clients.c.client_id == bindparam("one")),
    remembers=True,
)
_VERSION = Prepared(
    select(t.client_logos.c.version).where(t.client_logos.c.client_id == bindparam("one"))
)

OLDEST_FIRST = t.clients.c.created_at, t.clients.c.client_id


class ClientStore(Store):
    """Stores registered clients."""

    def add(self, client: Client) -> None:
        """Add a client."""
        self._add(t.clients, client)

    def find(self, client_id: ClientId) -> Client | None:
        """Return the client, or None."""
        return _FIND.find(self._connection, Client, {"one": client_id})

    def lock(self, client_id: ClientId) -> Client | None:
        """Return the client, locked against changes until this transaction ends, or None."""
        query = rows(t.clients, client_id=client_id).with_for_update(key_share=True)
        return self._one(Client, query)

    def all(self) -> list[Client]:
        """Return all clients, oldest first."""
        return self._all(Client, select(t.clients).order_by(*OLDEST_FIRST))

    def of_sectors(self, sectors: Sequence[SectorIdentifier]) -> list[Client]:
        """Return the clients of these sectors, oldest first, in one query."""
        theirs = rows(t.clients, t.clients.c.sector.in_(sectors))
        return self._all(Client, theirs.order_by(*OLDEST_FIRST))

    def replace(self, client: Client) -> bool:
        """Replace all fields of a client; False if it does not exist."""
        new = values_of(client, t.clients)
        return self._update(t.clients, new, client_id=client.client_id) == 1

    def remove(self, client_id: ClientId) -> bool:
        """Delete a client with its grants; False if it does not exist."""
        return self._delete(t.clients, client_id=client_id) == 1


@dataclass(frozen=True, slots=True)
class ClientError:
    """An error that was sent to a client: our own words, no request data."""

    client_id: ClientId
    happened_at: datetime
    endpoint: str
    error: str
    description: str


class ClientErrorStore(Store):
    """Stores a bounded number of errors per client."""

    def add(self, error: ClientError, *, keep: int) -> bool:
        """Add an error and keep the newest ``keep``; False if the client does not exist."""
        # Locked, so that a concurrent removal causes no foreign key error.
        client_id, error_id = error.client_id, t.client_errors.c.error_id
        found = rows(t.clients, client_id=client_id)
        if not self._exists(found.with_for_update(read=True, key_share=True)):
            return False
        self._add(t.client_errors, error)
        of_client = select(error_id).where(t.client_errors.c.client_id == client_id)
        newest = of_client.order_by(error_id.desc()).limit(keep)
        self._delete(t.client_errors, error_id.not_in(newest), client_id=client_id)
        return True

    def of(self, client_id: ClientId) -> list[ClientError]:
        """Return a client's errors, newest first."""
        query = rows(t.client_errors, client_id=client_id)
        return self._all(ClientError, query.order_by(t.client_errors.c.error_id.desc()))


class ClientLogoStore(Store):
    """Stores one picture for each client."""

    def put(self, client_id: ClientId, version: str, png: bytes) -> None:
        """Store the logo of a client in place of an earlier one."""
        self._put(t.client_logos, {"client_id": client_id, "version": version, "png": png})

    def version(self, client_id: ClientId) -> str | None:
        """Return the name of the logo's content; None if the client has none."""
        return _VERSION.find(self._connection, str, {"one": client_id})

    def address(self, auth_url: str, client_id: ClientId) -> str | None:
        """Return the URL of the logo, which changes with it; None if the client has none."""
        version = self.version(client_id)
        return version and f"{auth_url}/oauth/logos/{client_id}?v={version}"

    def png(self, client_id: ClientId) -> bytes | None:
        """Return the picture, or None."""
        return self._value(t.client_logos.c.png, client_id=client_id)

    def remove(self, client_id: ClientId) -> bool:
        """Delete the logo; False if there is none."""
        return self._delete(t.client_logos, client_id=client_id) == 1


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
        query = rows(t.initial_access_tokens, digest=digest).with_for_update()
        return self._one(InitialAccessToken, query)

    def all(self) -> list[InitialAccessToken]:
        """Return all tokens, oldest first."""
        columns = t.initial_access_tokens.c
        query = select(t.initial_access_tokens).order_by(columns.created_at, columns.token_id)
        return self._all(InitialAccessToken, query)

    def revoke(self, token_id: str, now: datetime) -> bool:
        """Revoke the token; False if unknown or already revoked."""
        its = {"token_id": token_id, "revoked_at": None}
        return self._update(t.initial_access_tokens, {"revoked_at": now}, **its) == 1


class RegistrationStore(Store):
    """Stores dynamic registrations. Removing a client removes its row."""

    def add(self, registration: Registration) -> None:
        """Add a registration."""
        self._add(t.registrations, registration)

    def find(self, client_id: ClientId) -> Registration | None:
        """Return the registration; None if the client did not register itself."""
        return self._one(Registration, rows(t.registrations, client_id=client_id))

    def client_ids(self) -> set[str]:
        """Return the clients that registered themselves."""
        return set(self._connection.execute(select(t.registrations.c.client_id)).scalars())

    def count_since(self, token_id: str, since: datetime) -> int:
        """Count the clients registered with this token since then."""
        its = t.registrations.c.token_id == token_id
        return self._count_rows(its, t.registrations.c.registered_at >= since)

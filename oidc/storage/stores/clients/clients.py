"""Store of registered clients."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, delete, insert, select, update

from oidc.plumbing.store import Prepared, Store
from oidc.storage.schema import clients
from oidc.types import Authentication, Client, ClientId, ConfirmCode, Profile, SectorIdentifier

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import RowMapping

    from oidc.plumbing.store import Row

_FIND = Prepared(select(clients).where(clients.c.client_id == bindparam("one")))


class ClientStore(Store):
    """Stores registered clients."""

    def add(self, client: Client) -> None:
        """Add a client."""
        self._connection.execute(insert(clients).values(asdict(client)))

    def find(self, client_id: ClientId) -> Client | None:
        """Return the client, or None."""
        row = _FIND.first(self._connection, {"one": client_id})
        return None if row is None else client_of(row)

    def lock(self, client_id: ClientId) -> Client | None:
        """Return the client, locked against changes until this transaction ends, or None."""
        query = select(clients).where(clients.c.client_id == client_id)
        locked = query.with_for_update(key_share=True)
        row = self._connection.execute(locked).mappings().one_or_none()
        return None if row is None else client_of(row)

    def all(self) -> list[Client]:
        """Return all clients, oldest first."""
        query = select(clients).order_by(clients.c.created_at, clients.c.client_id)
        return [client_of(row) for row in self._connection.execute(query).mappings()]

    def of_sectors(self, sectors: Sequence[SectorIdentifier]) -> list[Client]:
        """Return the clients of these sectors, oldest first, in one query."""
        query = select(clients).where(clients.c.sector.in_(sectors))
        ordered = query.order_by(clients.c.created_at, clients.c.client_id)
        return [client_of(row) for row in self._connection.execute(ordered).mappings()]

    def replace(self, client: Client) -> bool:
        """Replace all fields of a client; False if it does not exist."""
        change = update(clients).where(clients.c.client_id == client.client_id)
        return self._connection.execute(change.values(asdict(client))).rowcount == 1

    def remove(self, client_id: ClientId) -> bool:
        """Delete a client with its grants; False if it does not exist."""
        change = delete(clients).where(clients.c.client_id == client_id)
        return self._connection.execute(change).rowcount == 1


def client_of(row: Row | RowMapping) -> Client:
    """Return the client in a row."""
    tuples = ("redirect_uris", "scope", "post_logout_redirect_uris")
    kinds = {
        "authentication": Authentication(row["authentication"]),
        "profile": Profile(row["profile"]),
        "confirm_code": ConfirmCode(row["confirm_code"]),
    }
    return Client(**{**row, **kinds, **{name: tuple(row[name]) for name in tuples}})

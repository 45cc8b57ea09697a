"""Store of registered clients."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import bindparam, delete, select, update

from oidc.plumbing.prepared import Prepared
from oidc.plumbing.store import Store, columns_of, values_of
from oidc.storage import schema as t
from oidc.types import Client, ClientId, SectorIdentifier

_FIND = Prepared(
    select(*columns_of(Client, t.clients)).where(t.clients.c.client_id == bindparam("one")),
    remembers=True,
)


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
        query = select(t.clients).where(t.clients.c.client_id == client_id)
        return self._one(Client, query.with_for_update(key_share=True))

    def all(self) -> list[Client]:
        """Return all clients, oldest first."""
        query = select(t.clients).order_by(t.clients.c.created_at, t.clients.c.client_id)
        return self._all(Client, query)

    def of_sectors(self, sectors: Sequence[SectorIdentifier]) -> list[Client]:
        """Return the clients of these sectors, oldest first, in one query."""
        query = select(t.clients).where(t.clients.c.sector.in_(sectors))
        return self._all(Client, query.order_by(t.clients.c.created_at, t.clients.c.client_id))

    def replace(self, client: Client) -> bool:
        """Replace all fields of a client; False if it does not exist."""
        change = update(t.clients).where(t.clients.c.client_id == client.client_id)
        return self._changed(change.values(values_of(client, t.clients))) == 1

    def remove(self, client_id: ClientId) -> bool:
        """Delete a client with its grants; False if it does not exist."""
        change = delete(t.clients).where(t.clients.c.client_id == client_id)
        return self._changed(change) == 1

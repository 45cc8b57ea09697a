"""Clients in SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, insert, select, update

from oidc.storage.tables import clients
from oidc.types import Authentication, Client, ClientId, SectorIdentifier

if TYPE_CHECKING:
    from sqlalchemy import Connection, RowMapping


class SqlClients:
    """Implements ``ClientStore``."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, client: Client) -> None:
        """Keep a new client."""
        self._connection.execute(
            insert(clients).values(
                client_id=client.client_id,
                name=client.name,
                redirect_uris=client.redirect_uris,
                scope=client.scope,
                sector=client.sector,
                external_user_id=client.external_user_id,
                secret_digest=client.secret_digest,
                created_at=client.created_at,
                authentication=client.authentication,
                jwks=client.jwks,
                require_pkce=client.require_pkce,
                id_token_algorithm=client.id_token_algorithm,
                resource_server=client.resource_server,
                require_par=client.require_par,
            )
        )

    def find(self, client_id: ClientId) -> Client | None:
        """Return the client, or None."""
        query = select(clients).where(clients.c.client_id == client_id)
        row = self._connection.execute(query).mappings().one_or_none()
        return None if row is None else _client(row)

    def all(self) -> list[Client]:
        """Return every client, oldest first."""
        query = select(clients).order_by(clients.c.created_at, clients.c.client_id)
        return [_client(row) for row in self._connection.execute(query).mappings()]

    def replace_secret(self, client_id: ClientId, secret_digest: bytes) -> bool:
        """Replace the digest of the secret; False if there is no such client."""
        change = update(clients).where(clients.c.client_id == client_id)
        return (
            self._connection.execute(change.values(secret_digest=secret_digest)).rowcount == 1
        )

    def remove(self, client_id: ClientId) -> bool:
        """Forget the client and everything granted to it; False if there is none."""
        change = delete(clients).where(clients.c.client_id == client_id)
        return self._connection.execute(change).rowcount == 1


def _client(row: RowMapping) -> Client:
    return Client(
        client_id=ClientId(row["client_id"]),
        name=row["name"],
        redirect_uris=tuple(row["redirect_uris"]),
        scope=tuple(row["scope"]),
        sector=SectorIdentifier(row["sector"]),
        external_user_id=row["external_user_id"],
        secret_digest=row["secret_digest"],
        created_at=row["created_at"],
        authentication=Authentication(row["authentication"]),
        jwks=row["jwks"],
        require_pkce=row["require_pkce"],
        id_token_algorithm=row["id_token_algorithm"],
        resource_server=row["resource_server"],
        require_par=row["require_par"],
    )

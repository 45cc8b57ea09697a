"""Clients in SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, delete, insert, select, update

from oidc.storage.schema import clients
from oidc.storage.sql.prepared import Prepared
from oidc.types import (
    Authentication,
    Client,
    ClientId,
    ConfirmCode,
    Profile,
    SectorIdentifier,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection, RowMapping

    from oidc.storage.sql.prepared import Row

_FIND = Prepared(select(clients).where(clients.c.client_id == bindparam("one")))


class SqlClients:
    """Implements ``ClientStore``."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, client: Client) -> None:
        """Add a client."""
        self._connection.execute(insert(clients).values(_columns(client)))

    def find(self, client_id: ClientId) -> Client | None:
        """Return the client, or None."""
        row = _FIND.first(self._connection, {"one": client_id})
        return None if row is None else client_of(row)

    def all(self) -> list[Client]:
        """Return all clients, oldest first."""
        query = select(clients).order_by(clients.c.created_at, clients.c.client_id)
        return [client_of(row) for row in self._connection.execute(query).mappings()]

    def of_sectors(self, sectors: Sequence[SectorIdentifier]) -> list[Client]:
        """Return the clients of these sectors, oldest first."""
        query = select(clients).where(clients.c.sector.in_(sectors))
        ordered = query.order_by(clients.c.created_at, clients.c.client_id)
        return [client_of(row) for row in self._connection.execute(ordered).mappings()]

    def replace(self, client: Client) -> bool:
        """Replace all fields; False if there is no such client."""
        change = update(clients).where(clients.c.client_id == client.client_id)
        return self._connection.execute(change.values(_columns(client))).rowcount == 1

    def remove(self, client_id: ClientId) -> bool:
        """Delete a client with its grants; False if there is none."""
        change = delete(clients).where(clients.c.client_id == client_id)
        return self._connection.execute(change).rowcount == 1


def _columns(client: Client) -> dict[str, Any]:
    return {
        "client_id": client.client_id,
        "name": client.name,
        "redirect_uris": client.redirect_uris,
        "scope": client.scope,
        "sector": client.sector,
        "external_user_id": client.external_user_id,
        "secret_digest": client.secret_digest,
        "created_at": client.created_at,
        "authentication": client.authentication,
        "jwks": client.jwks,
        "require_pkce": client.require_pkce,
        "id_token_algorithm": client.id_token_algorithm,
        "resource_server": client.resource_server,
        "require_par": client.require_par,
        "require_dpop": client.require_dpop,
        "profile": client.profile,
        "former_secret_digest": client.former_secret_digest,
        "former_secret_ends_at": client.former_secret_ends_at,
        "confirm_code": client.confirm_code,
        "post_logout_redirect_uris": client.post_logout_redirect_uris,
        "backchannel_logout_uri": client.backchannel_logout_uri,
        "backchannel_logout_session_required": client.backchannel_logout_session_required,
        "require_trusted_phone": client.require_trusted_phone,
    }


def client_of(row: Row | RowMapping) -> Client:
    """Return the client in a row."""
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
        require_dpop=row["require_dpop"],
        profile=Profile(row["profile"]),
        former_secret_digest=row["former_secret_digest"],
        former_secret_ends_at=row["former_secret_ends_at"],
        confirm_code=ConfirmCode(row["confirm_code"]),
        post_logout_redirect_uris=tuple(row["post_logout_redirect_uris"]),
        backchannel_logout_uri=row["backchannel_logout_uri"],
        backchannel_logout_session_required=row["backchannel_logout_session_required"],
        require_trusted_phone=row["require_trusted_phone"],
    )

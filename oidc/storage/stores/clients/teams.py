"""Store of the developers of each client: one owner, members, and open invitations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlalchemy import delete, func, insert, select

from oidc.plumbing.store import Store
from oidc.storage.schema import (
    client_invitations,
    client_members,
    developer_clients,
    developers,
)
from oidc.storage.stores.clients.developers import Developer, DeveloperId

if TYPE_CHECKING:
    from datetime import datetime

    from oidc.types import ClientId


@dataclass(frozen=True, slots=True)
class ClientInvitation:
    """An invitation to the team of a client.

    Attributes:
        digest: SHA-256 of the invitation.
        developer_id: who invites.
    """

    digest: bytes = field(repr=False)
    client_id: ClientId
    developer_id: DeveloperId
    ends_at: datetime


class ClientTeamStore(Store):
    """Stores who works on a client."""

    def owner(self, client_id: ClientId) -> Developer | None:
        """Return the owner of the client; None if it has none."""
        joined = developers.join(developer_clients)
        query = select(developers).select_from(joined)
        found = query.where(developer_clients.c.client_id == client_id)
        return self._one(Developer, found)

    def set_owner(self, client_id: ClientId, developer_id: DeveloperId) -> None:
        """Replace the owner, who loses the client; open invitations end."""
        owners = developer_clients
        self._connection.execute(delete(owners).where(owners.c.client_id == client_id))
        self.remove_member(client_id, developer_id)
        self._connection.execute(
            insert(owners).values(client_id=client_id, developer_id=developer_id)
        )
        self.revoke_invitations(client_id)

    def members(self, client_id: ClientId) -> list[Developer]:
        """Return the members beside the owner, by e-mail address."""
        joined = developers.join(client_members)
        query = select(developers).select_from(joined).order_by(developers.c.email)
        found = query.where(client_members.c.client_id == client_id)
        return self._all(Developer, found)

    def add_member(self, client_id: ClientId, developer_id: DeveloperId) -> None:
        """Add a developer who neither owns the client nor is a member."""
        self._connection.execute(
            insert(client_members).values(client_id=client_id, developer_id=developer_id)
        )

    def remove_member(self, client_id: ClientId, developer_id: DeveloperId) -> bool:
        """Remove a member; False if there is none."""
        change = delete(client_members).where(
            client_members.c.client_id == client_id,
            client_members.c.developer_id == developer_id,
        )
        return self._changed(change) == 1

    def invite(self, invitation: ClientInvitation) -> None:
        """Add an invitation."""
        self._add(client_invitations, invitation)

    def spend(self, digest: bytes, now: datetime) -> ClientInvitation | None:
        """Delete the invitation and return it; None if it is not valid now.

        Atomic: of two concurrent calls, exactly one gets it.
        """
        change = delete(client_invitations).where(
            client_invitations.c.digest == digest, client_invitations.c.ends_at > now
        )
        return self._one(ClientInvitation, change.returning(client_invitations))

    def count_open(self, client_id: ClientId, now: datetime) -> int:
        """Return the number of invitations that are valid now."""
        query = select(func.count()).where(
            client_invitations.c.client_id == client_id, client_invitations.c.ends_at > now
        )
        return int(self._connection.execute(query).scalar_one())

    def revoke_invitations(self, client_id: ClientId) -> None:
        """Delete all invitations of a client."""
        its = client_invitations.c.client_id == client_id
        self._changed(delete(client_invitations).where(its))

    def purge(self, now: datetime) -> int:
        """Delete expired invitations; return how many."""
        change = delete(client_invitations).where(client_invitations.c.ends_at <= now)
        return self._changed(change)

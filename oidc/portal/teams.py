"""The developers of a client: its owner, and members whom the owner invites.

Members change the client and replace its secret. The owner alone invites, removes members
and removes the client; members may leave. Only developers of the portal can join: the
operator decides who is one, and may give a client to another owner.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from oidc.clients import registry
from oidc.errors import (
    FormRefused,
    InvitationRefused,
    OwnerNeeded,
    PortalFault,
    UnknownDeveloper,
)
from oidc.portal.system_clients import PORTAL, TRIAL
from oidc.protocol import digest_of, new_secret
from oidc.storage.database import Stores
from oidc.storage.stores.developers import ClientInvitation, Developer, DeveloperId
from oidc.types import AuditEvent, ClientId

TEAM_SIZE: Final = 10
"""Developers of one client, with open invitations: a bound for the tables."""

INVITATION_LIFETIME: Final = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Team:
    """Who works on a client; ``owner`` is None after an operator removed the owner."""

    owner: Developer | None
    members: tuple[Developer, ...]
    open_count: int

    def require_owner(self, developer: Developer) -> None:
        """Raise ``OwnerNeeded`` unless the developer owns the client."""
        if not self.is_owner(developer):
            raise OwnerNeeded("only the owner of the client may do this")

    def is_owner(self, developer: Developer) -> bool:
        """Return whether the developer owns the client."""
        return self.owner is not None and self.owner.developer_id == developer.developer_id

    @property
    def is_full(self) -> bool:
        """Whether no more developers may be invited."""
        return 1 + len(self.members) + self.open_count >= TEAM_SIZE

    def has(self, developer: Developer) -> bool:
        """Return whether the developer is the owner or a member."""
        ids = {each.developer_id for each in self.members}
        return self.is_owner(developer) or developer.developer_id in ids


def team_of(stores: Stores, client_id: ClientId, now: datetime) -> Team:
    """Return the team of a client."""
    teams = stores.client_teams
    return Team(
        teams.owner(client_id),
        tuple(teams.members(client_id)),
        teams.count_open(client_id, now),
    )


def invite(stores: Stores, client_id: ClientId, inviter: Developer, now: datetime) -> str:
    """Return a new invitation of 256 random bits, stored as SHA-256.

    Raises:
        OwnerNeeded: the inviter is not the owner.
        FormRefused: the team is full.
    """
    client = registry.require_locked(stores, client_id)
    team = team_of(stores, client_id, now)
    team.require_owner(inviter)
    if team.is_full:
        raise FormRefused("the team is full")
    invitation, ends_at = new_secret(), now + INVITATION_LIFETIME
    stores.client_teams.invite(
        ClientInvitation(digest_of(invitation), client_id, inviter.developer_id, ends_at)
    )
    registry.record_change(stores, AuditEvent.MEMBER_INVITED, client, now)
    return invitation


def join(stores: Stores, digest: bytes, developer: Developer, now: datetime) -> ClientId:
    """Spend an invitation and make the developer a member; return the client.

    Raises:
        InvitationRefused: it is not valid.
    """
    invitation = stores.client_teams.spend(digest, now)
    if invitation is None:
        raise InvitationRefused("the invitation is not valid")
    client_id = invitation.client_id
    if not team_of(stores, client_id, now).has(developer):
        stores.client_teams.add_member(client_id, developer.developer_id)
        _record(stores, AuditEvent.MEMBER_ADDED, client_id, developer.developer_id, now)
    return client_id


def revoke_invitations(
    stores: Stores, client_id: ClientId, actor: Developer, now: datetime
) -> None:
    """End all open invitations to a client. Raises ``OwnerNeeded``."""
    team_of(stores, client_id, now).require_owner(actor)
    stores.client_teams.revoke_invitations(client_id)


def remove(
    stores: Stores, client_id: ClientId, member: str, actor: Developer, now: datetime
) -> None:
    """Remove a member: the owner anybody, a member oneself.

    Raises:
        OwnerNeeded: the actor is a member and names another developer.
        FormRefused: there is no such member.
    """
    if member != actor.developer_id:
        team_of(stores, client_id, now).require_owner(actor)
    # Before, so that the member who is removed gets the notice, too.
    _record(stores, AuditEvent.MEMBER_REMOVED, client_id, DeveloperId(member), now)
    if not stores.client_teams.remove_member(client_id, DeveloperId(member)):
        raise FormRefused("there is no such member")


def assign(stores: Stores, client_id: str, developer_id: str, now: datetime) -> None:
    """Make a developer the owner of a client, for an operator; the former one loses it.

    Raises:
        UnknownClient: there is none with this identifier.
        UnknownDeveloper: there is no such developer.
        PortalFault: the client is the portal's own.
    """
    client = registry.require(stores, client_id)
    if client.client_id in (PORTAL, TRIAL):
        raise PortalFault("this client belongs to the portal itself")
    if stores.developers.find(DeveloperId(developer_id)) is None:
        raise UnknownDeveloper("there is no such developer")
    _record(stores, AuditEvent.OWNER_CHANGED, client.client_id, DeveloperId(developer_id), now)
    stores.client_teams.set_owner(client.client_id, DeveloperId(developer_id))


def _record(
    stores: Stores,
    event: AuditEvent,
    client_id: ClientId,
    developer_id: DeveloperId,
    now: datetime,
) -> None:
    client = registry.require(stores, client_id)
    registry.record_change(stores, event, client, now, developer=developer_id)

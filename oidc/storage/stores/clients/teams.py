"""Stores of the developers of each client, and of their notices about each other.

A client has one owner, members, and open invitations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import delete, insert, select

from oidc.plumbing.store import Store
from oidc.storage import schema as t
from oidc.storage.stores.clients.developers import Developer, DeveloperId
from oidc.types import AuditEvent, Client, ClientId

_NOTICE = t.team_notices.c

NOTICE_RETENTION: Final = timedelta(days=30)
"""Of what was not dismissed."""


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


@dataclass(frozen=True, slots=True)
class TeamNotice:
    """A change to a client on a day; ``by``: an e-mail address or a role."""

    notice_id: int
    client_name: str
    event: AuditEvent
    by: str
    day: datetime


class TeamNoticeStore(Store):
    """Stores notices: of one client, change, person and day at most one for each developer."""

    def tell(
        self, client: Client, event: AuditEvent, actor: Mapping[str, int | str], now: datetime
    ) -> None:
        """Add a notice for the owner and the members, except the acting one."""
        actor_id = str(actor.get("by_id", ""))
        by = select(t.developers.c.email).where(t.developers.c.developer_id == actor_id)
        notice = {
            "client_id": client.client_id,
            "client_name": client.name,
            "event": event,
            "by": self._connection.execute(by).scalar() or actor.get("by", "operator"),
            "day": now,
        }
        for table in (t.developer_clients, t.client_members):
            team = select(table.c.developer_id).where(table.c.client_id == client.client_id)
            for developer_id in self._connection.execute(team).scalars():
                if developer_id != actor_id:
                    self._insert_if_absent(t.team_notices, developer_id=developer_id, **notice)

    def of(self, developer_id: DeveloperId, now: datetime) -> list[TeamNotice]:
        """Return what a developer has not dismissed, latest first."""
        theirs = _NOTICE.developer_id == developer_id
        query = select(t.team_notices).where(theirs, _NOTICE.day > now - NOTICE_RETENTION)
        return self._all(TeamNotice, query.order_by(_NOTICE.notice_id.desc()))

    def dismiss(self, developer_id: DeveloperId, latest: int) -> None:
        """Delete the notices of a developer up to the latest that was shown."""
        theirs = _NOTICE.developer_id == developer_id
        shown = _NOTICE.notice_id <= latest
        self._changed(delete(t.team_notices).where(theirs, shown))

    def purge(self, now: datetime) -> int:
        """Delete old notices; return how many."""
        is_over = _NOTICE.day <= now - NOTICE_RETENTION
        return self._changed(delete(t.team_notices).where(is_over))


class ClientTeamStore(Store):
    """Stores who works on a client."""

    def owner(self, client_id: ClientId) -> Developer | None:
        """Return the owner of the client; None if it has none."""
        its = t.developer_clients.c.client_id == client_id
        return self._one(Developer, select(t.developers).join(t.developer_clients).where(its))

    def set_owner(self, client_id: ClientId, developer_id: DeveloperId) -> None:
        """Replace the owner, who loses the client; open invitations end."""
        owners = t.developer_clients
        self._connection.execute(delete(owners).where(owners.c.client_id == client_id))
        self.remove_member(client_id, developer_id)
        self._connection.execute(
            insert(owners).values(client_id=client_id, developer_id=developer_id)
        )
        self.revoke_invitations(client_id)

    def members(self, client_id: ClientId) -> list[Developer]:
        """Return the members beside the owner, by e-mail address."""
        its = t.client_members.c.client_id == client_id
        query = select(t.developers).join(t.client_members).where(its)
        return self._all(Developer, query.order_by(t.developers.c.email))

    def add_member(self, client_id: ClientId, developer_id: DeveloperId) -> None:
        """Add a developer who neither owns the client nor is a member."""
        self._connection.execute(
            insert(t.client_members).values(client_id=client_id, developer_id=developer_id)
        )

    def remove_member(self, client_id: ClientId, developer_id: DeveloperId) -> bool:
        """Remove a member; False if there is none."""
        change = delete(t.client_members).where(
            t.client_members.c.client_id == client_id,
            t.client_members.c.developer_id == developer_id,
        )
        return self._changed(change) == 1

    def invite(self, invitation: ClientInvitation) -> None:
        """Add an invitation."""
        self._add(t.client_invitations, invitation)

    def spend(self, digest: bytes, now: datetime) -> ClientInvitation | None:
        """Delete the invitation and return it; None if it is not valid now.

        Atomic: of two concurrent calls, exactly one gets it.
        """
        change = delete(t.client_invitations).where(
            t.client_invitations.c.digest == digest, t.client_invitations.c.ends_at > now
        )
        return self._one(ClientInvitation, change.returning(t.client_invitations))

    def count_open(self, client_id: ClientId, now: datetime) -> int:
        """Return the number of invitations that are valid now."""
        its = t.client_invitations.c.client_id == client_id
        return self._count_rows(its, t.client_invitations.c.ends_at > now)

    def revoke_invitations(self, client_id: ClientId) -> None:
        """Delete all invitations of a client."""
        its = t.client_invitations.c.client_id == client_id
        self._changed(delete(t.client_invitations).where(its))

    def purge(self, now: datetime) -> int:
        """Delete expired invitations; return how many."""
        change = delete(t.client_invitations).where(t.client_invitations.c.ends_at <= now)
        return self._changed(change)

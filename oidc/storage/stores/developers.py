"""Stores of portal developers, their sessions, clients and teams.

A client has one owner, members, and open invitations; its developers get notices about each
other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, NewType

from sqlalchemy import Select, Update, delete, func, insert, literal, select, union, update

from oidc.plumbing.store import Store
from oidc.storage import schema as t
from oidc.storage.columns import Instant
from oidc.types import AuditEvent, Client, ClientId, PairwiseSubject

_DEVELOPER, _SESSION = t.developers.c, t.portal_sessions.c

DeveloperId = NewType("DeveloperId", str)
"""Identifies an invited developer."""


@dataclass(frozen=True, slots=True)
class Developer:
    """An invited developer, joined or not.

    Attributes:
        note: the operator's own words.
        invitation_digest: SHA-256 of the invitation; None once used.
        subject: pseudonym at the portal; None before joining.
        joined_at: None before joining.
    """

    developer_id: DeveloperId
    email: str
    note: str
    invited_at: datetime
    invitation_ends_at: datetime
    invitation_digest: bytes | None = field(default=None, repr=False)
    subject: PairwiseSubject | None = field(default=None, repr=False)
    joined_at: datetime | None = None


class DeveloperStore(Store):
    """Stores invited developers."""

    def add(self, developer: Developer) -> None:
        """Add an invitation."""
        self._add(t.developers, developer)

    def all(self) -> list[Developer]:
        """Return all developers, oldest first."""
        query = select(t.developers).order_by(_DEVELOPER.invited_at, _DEVELOPER.developer_id)
        return self._all(Developer, query)

    def find(self, developer_id: DeveloperId) -> Developer | None:
        """Return the developer, or None."""
        query = select(t.developers).where(_DEVELOPER.developer_id == developer_id)
        return self._one(Developer, query)

    def of_subject(self, subject: PairwiseSubject) -> Developer | None:
        """Return the developer with this subject, or None."""
        query = select(t.developers).where(_DEVELOPER.subject == subject)
        return self._one(Developer, query)

    def is_invited(self, digest: bytes, now: datetime) -> bool:
        """Return whether an invitation is valid now."""
        query = select(_DEVELOPER.developer_id).where(
            _DEVELOPER.invitation_digest == digest, _DEVELOPER.invitation_ends_at > now
        )
        return self._exists(query)

    def join(self, digest: bytes, subject: PairwiseSubject, now: datetime) -> bool:
        """Use an invitation for this subject; False if it is not valid now.

        A developer who has a subject keeps it.
        Atomic: of two concurrent calls, exactly one gets True.
        """
        change = update(t.developers).where(
            _DEVELOPER.invitation_digest == digest,
            _DEVELOPER.invitation_ends_at > now,
            _DEVELOPER.subject.is_(None),
        )
        joined = change.values(invitation_digest=None, subject=subject, joined_at=now)
        return self._changed(joined) == 1

    def spend(self, digest: bytes, now: datetime) -> Developer | None:
        """Use an invitation without a subject; return its developer, None if not valid now.

        Atomic: of two concurrent calls, exactly one gets the developer.
        """
        change = update(t.developers).where(
            _DEVELOPER.invitation_digest == digest, _DEVELOPER.invitation_ends_at > now
        )
        joined_at = func.coalesce(_DEVELOPER.joined_at, literal(now, Instant))
        spent = change.values(invitation_digest=None, joined_at=joined_at)
        return self._one(Developer, spent.returning(t.developers))

    def replace_invitation(self, developer: Developer) -> None:
        """Store the invitation of a developer in place of an earlier one."""
        change = update(t.developers).where(_DEVELOPER.developer_id == developer.developer_id)
        digest, ends_at = developer.invitation_digest, developer.invitation_ends_at
        self._changed(change.values(invitation_digest=digest, invitation_ends_at=ends_at))

    def delete_subjects(self, subjects: Sequence[PairwiseSubject]) -> None:
        """Delete the subjects of deleted pseudonyms: their developers have none from now on."""
        change = update(t.developers).where(_DEVELOPER.subject.in_(subjects))
        self._changed(change.values(subject=None))

    def remove(self, developer_id: DeveloperId) -> bool:
        """Delete a developer and all sessions, not the clients; False if unknown."""
        change = delete(t.developers).where(_DEVELOPER.developer_id == developer_id)
        return self._changed(change) == 1


class OwnedClientStore(Store):
    """Stores which clients a developer owns, and finds those that one is a member of."""

    def find(self, client_id: ClientId, developer_id: DeveloperId) -> Client | None:
        """Return the client; None if it does not exist or belongs to others."""
        query = self._owned(developer_id).where(t.clients.c.client_id == client_id)
        return self._one(Client, query)

    def of(self, developer_id: DeveloperId) -> list[Client]:
        """Return the clients that the developer owns or is a member of, oldest first."""
        oldest = t.clients.c.created_at, t.clients.c.client_id
        return self._all(Client, self._owned(developer_id).order_by(*oldest))

    def count(self, developer_id: DeveloperId) -> int:
        """Return the number of clients that the developer owns."""
        return self._count_rows(t.developer_clients.c.developer_id == developer_id)

    def _owned(self, developer_id: DeveloperId) -> Select[Any]:
        named = [
            select(table.c.client_id).where(table.c.developer_id == developer_id)
            for table in (t.developer_clients, t.client_members)
        ]
        return select(t.clients).where(t.clients.c.client_id.in_(union(*named)))


class PortalSessionStore(Store):
    """Stores portal sessions."""

    def begin(
        self,
        digest: bytes,
        developer_id: DeveloperId,
        proven_at: datetime,
        expires_at: datetime,
    ) -> None:
        """Add a session, with the time of its palm or link."""
        self._connection.execute(
            insert(t.portal_sessions).values(
                digest=digest,
                developer_id=developer_id,
                proven_at=proven_at,
                expires_at=expires_at,
                draft="",
            )
        )

    def renew(
        self, digest: bytes, successor: bytes, proven_at: datetime, expires_at: datetime
    ) -> None:
        """Give a session, unless it has ended, another secret after another palm."""
        renewed = self._of(digest).values(
            digest=successor, proven_at=proven_at, expires_at=expires_at
        )
        self._changed(renewed)

    def is_proven(self, digest: bytes, since: datetime) -> bool:
        """Return whether the last palm or link of a session was then or later."""
        query = select(_SESSION.digest).where(
            _SESSION.digest == digest, _SESSION.proven_at >= since
        )
        return self._exists(query)

    def keep_draft(self, digest: bytes, draft: str) -> None:
        """Keep a form that waits for a palm, in place of an earlier one."""
        self._changed(self._of(digest).values(draft=draft))

    def draft(self, digest: bytes) -> str:
        """Return the form that a session keeps, or nothing."""
        query = select(_SESSION.draft).where(_SESSION.digest == digest)
        return self._connection.execute(query).scalar() or ""

    def _of(self, digest: bytes) -> Update:
        return update(t.portal_sessions).where(_SESSION.digest == digest)

    def find(self, digest: bytes, now: datetime) -> Developer | None:
        """Return the session's developer; None if unknown or expired."""
        living = _SESSION.digest == digest, _SESSION.expires_at > now
        return self._one(Developer, select(t.developers).join(t.portal_sessions).where(*living))

    def end(self, digest: bytes) -> None:
        """Delete a session."""
        self._changed(delete(t.portal_sessions).where(_SESSION.digest == digest))

    def end_all(self, developer_id: DeveloperId) -> None:
        """Delete the sessions of a developer."""
        theirs = _SESSION.developer_id == developer_id
        self._changed(delete(t.portal_sessions).where(theirs))

    def purge(self, now: datetime) -> int:
        """Delete expired sessions; return how many."""
        change = delete(t.portal_sessions).where(_SESSION.expires_at <= now)
        return self._changed(change)


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

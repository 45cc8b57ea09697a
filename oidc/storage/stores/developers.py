"""Stores of portal developers, their sessions, clients and teams.

A client has one owner, members, and open invitations; its developers get notices about each
other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, NewType

from sqlalchemy import Select, delete, func, insert, literal, select, union, update

from oidc.client import Client
from oidc.plumbing.store import Store, rows
from oidc.storage import schema as t
from oidc.storage.columns import Instant
from oidc.storage.stores.clients import OLDEST_FIRST
from oidc.types import AuditEvent, ClientId, PairwiseSubject

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
        return self._one(Developer, rows(t.developers, developer_id=developer_id))

    def of_subject(self, subject: PairwiseSubject) -> Developer | None:
        """Return the developer with this subject, or None."""
        return self._one(Developer, rows(t.developers, subject=subject))

    def is_invited(self, digest: bytes, now: datetime) -> bool:
        """Return whether an invitation is valid now."""
        is_open = _DEVELOPER.invitation_ends_at > now
        return self._has(t.developers, is_open, invitation_digest=digest)

    def join(self, digest: bytes, subject: PairwiseSubject, now: datetime) -> bool:
        """Use an invitation for this subject; False if it is not valid now.

        A developer who has a subject keeps it.
        Atomic: of two concurrent calls, exactly one gets True.
        """
        joined = {"invitation_digest": None, "subject": subject, "joined_at": now}
        its = {"invitation_digest": digest, "subject": None}
        is_open = _DEVELOPER.invitation_ends_at > now
        return self._update(t.developers, joined, is_open, **its) == 1

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
        digest, ends_at = developer.invitation_digest, developer.invitation_ends_at
        given = {"invitation_digest": digest, "invitation_ends_at": ends_at}
        self._update(t.developers, given, developer_id=developer.developer_id)

    def delete_subjects(self, subjects: Sequence[PairwiseSubject]) -> None:
        """Delete the subjects of deleted pseudonyms: their developers have none from now on."""
        self._update(t.developers, {"subject": None}, _DEVELOPER.subject.in_(subjects))

    def remove(self, developer_id: DeveloperId) -> bool:
        """Delete a developer and all sessions, not the clients; False if unknown."""
        return self._delete(t.developers, developer_id=developer_id) == 1


class OwnedClientStore(Store):
    """Stores which clients a developer owns, and finds those that one is a member of."""

    def find(self, client_id: ClientId, developer_id: DeveloperId) -> Client | None:
        """Return the client; None if it does not exist or belongs to others."""
        query = self._owned(developer_id).where(t.clients.c.client_id == client_id)
        return self._one(Client, query)

    def of(self, developer_id: DeveloperId) -> list[Client]:
        """Return the clients that the developer owns or is a member of, oldest first."""
        return self._all(Client, self._owned(developer_id).order_by(*OLDEST_FIRST))

    def count(self, developer_id: DeveloperId) -> int:
        """Return the number of clients that the developer owns."""
        return self._count_rows(t.developer_clients.c.developer_id == developer_id)

    def _owned(self, developer_id: DeveloperId) -> Select[Any]:
        named = [
            select(table.c.client_id).where(table.c.developer_id == developer_id)
            for table in (t.developer_clients, t.client_members)
        ]
        return select(t.clients).where(t.clients.c.client_id.in_(union(*named)))


@dataclass(frozen=True, slots=True)
class PortalSession:
    """A developer's session; ``proven_at`` is the time of its palm or link."""

    digest: bytes = field(repr=False)
    developer_id: DeveloperId
    proven_at: datetime
    expires_at: datetime
    draft: str = ""


class PortalSessionStore(Store):
    """Stores portal sessions."""

    def begin(self, session: PortalSession) -> None:
        """Add a session."""
        self._add(t.portal_sessions, session)

    def renew(
        self, digest: bytes, successor: bytes, proven_at: datetime, expires_at: datetime
    ) -> None:
        """Give a session, unless it has ended, another secret after another palm."""
        renewed = {"digest": successor, "proven_at": proven_at, "expires_at": expires_at}
        self._update(t.portal_sessions, renewed, digest=digest)

    def is_proven(self, digest: bytes, since: datetime) -> bool:
        """Return whether the last palm or link of a session was then or later."""
        return self._has(t.portal_sessions, _SESSION.proven_at >= since, digest=digest)

    def keep_draft(self, digest: bytes, draft: str) -> None:
        """Keep a form that waits for a palm, in place of an earlier one."""
        self._update(t.portal_sessions, {"draft": draft}, digest=digest)

    def draft(self, digest: bytes) -> str:
        """Return the form that a session keeps, or nothing."""
        return self._value(_SESSION.draft, digest=digest) or ""

    def find(self, digest: bytes, now: datetime) -> Developer | None:
        """Return the session's developer; None if unknown or expired."""
        living = _SESSION.digest == digest, _SESSION.expires_at > now
        return self._one(Developer, select(t.developers).join(t.portal_sessions).where(*living))

    def end(self, digest: bytes) -> None:
        """Delete a session."""
        self._delete(t.portal_sessions, digest=digest)

    def end_all(self, developer_id: DeveloperId) -> None:
        """Delete the sessions of a developer."""
        self._delete(t.portal_sessions, developer_id=developer_id)


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
        by = self._value(t.developers.c.email, developer_id=actor_id)
        notice = {
            "client_id": client.client_id,
            "client_name": client.name,
            "event": event,
            "by": by or actor.get("by", "operator"),
            "day": now,
        }
        for table in (t.developer_clients, t.client_members):
            team = select(table.c.developer_id).where(table.c.client_id == client.client_id)
            for developer_id in self._connection.execute(team).scalars():
                if developer_id != actor_id:
                    self._insert_if_absent(t.team_notices, developer_id=developer_id, **notice)

    def of(self, developer_id: DeveloperId, now: datetime) -> list[TeamNotice]:
        """Return what a developer has not dismissed, latest first."""
        is_new = _NOTICE.day > now - NOTICE_RETENTION
        query = rows(t.team_notices, is_new, developer_id=developer_id)
        return self._all(TeamNotice, query.order_by(_NOTICE.notice_id.desc()))

    def dismiss(self, developer_id: DeveloperId, latest: int) -> None:
        """Delete the notices of a developer up to the latest that was shown."""
        shown = _NOTICE.notice_id <= latest
        self._delete(t.team_notices, shown, developer_id=developer_id)


class ClientTeamStore(Store):
    """Stores who works on a client."""

    def owner(self, client_id: ClientId) -> Developer | None:
        """Return the owner of the client; None if it has none."""
        its = t.developer_clients.c.client_id == client_id
        return self._one(Developer, select(t.developers).join(t.developer_clients).where(its))

    def set_owner(self, client_id: ClientId, developer_id: DeveloperId) -> None:
        """Replace the owner, who loses the client; open invitations end."""
        self.remove_member(client_id, developer_id)
        self._put(t.developer_clients, {"client_id": client_id, "developer_id": developer_id})
        self.revoke_invitations(client_id)

    def members(self, client_id: ClientId) -> list[Developer]:
        """Return the members beside the owner, by e-mail address."""
        its = t.client_members.c.client_id == client_id
        query = select(t.developers).join(t.client_members).where(its)
        return self._all(Developer, query.order_by(t.developers.c.email))

    def add_member(self, client_id: ClientId, developer_id: DeveloperId) -> None:
        """Add a developer who neither owns the client nor is a member."""
        member = {"client_id": client_id, "developer_id": developer_id}
        self._connection.execute(insert(t.client_members), member)

    def remove_member(self, client_id: ClientId, developer_id: DeveloperId) -> bool:
        """Remove a member; False if there is none."""
        its = {"client_id": client_id, "developer_id": developer_id}
        return self._delete(t.client_members, **its) == 1

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
        self._delete(t.client_invitations, client_id=client_id)

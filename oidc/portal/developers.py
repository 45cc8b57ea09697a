"""Developers of the portal: invited by an operator, joined by signing in.

An invitation is 256 random bits, shown once and stored as SHA-256. A developer is known by
the pseudonym at the portal's client only. If it is deleted or the account deleted, the
person is no longer a developer. With ``PORTAL_PALM=false`` a link is all that is known.
"""

import re
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

from oidc.accounts import pseudonym
from oidc.errors import InvitationRefused, PortalFault, UnknownDeveloper
from oidc.portal.system_clients import PORTAL
from oidc.protocol import digest_of, new_identifier, new_secret
from oidc.storage.database import Stores
from oidc.storage.stores.developers import Developer, DeveloperId
from oidc.types import AuditEvent, PairwiseSubject, SectorIdentifier

_EMAIL: Final = re.compile(r"[^@\s<>\"']{1,64}@[^@\s<>\"']{1,190}")
_NOTE_LENGTH: Final = 200


@dataclass(frozen=True, slots=True)
class Invited:
    """A new invitation. Its secret is shown once."""

    developer: Developer
    invitation: str = field(repr=False)


def invite(
    stores: Stores, email: str, note: str, lifetime: timedelta, now: datetime
) -> Invited:
    """Invite a developer.

    Raises:
        PortalFault: the e-mail address or the note is not valid.
    """
    if not _EMAIL.fullmatch(email) or not email.isprintable():
        raise PortalFault("this is not an e-mail address")
    if len(note) > _NOTE_LENGTH or not note.isprintable():
        raise PortalFault(f"a note can have at most {_NOTE_LENGTH} printable characters")
    invitation = new_secret()
    developer = Developer(
        developer_id=DeveloperId(new_identifier()),
        email=email,
        note=note,
        invited_at=now,
        invitation_ends_at=now + lifetime,
        invitation_digest=digest_of(invitation),
    )
    stores.developers.add(developer)
    _record(stores, AuditEvent.DEVELOPER_INVITED, developer.developer_id, now)
    return Invited(developer, invitation)


def give_link(
    stores: Stores, developer_id: str, lifetime: timedelta, now: datetime, *, has_palm: bool
) -> Invited:
    """Give a developer a new link; an earlier one and all sessions end.

    So an earlier link is void.

    Raises:
        UnknownDeveloper: there is none with this id.
        PortalFault: this developer signs in by palm.
    """
    developer = stores.developers.find(DeveloperId(developer_id))
    if developer is None:
        raise UnknownDeveloper("there is no such developer")
    if has_palm and developer.subject is not None:
        raise PortalFault("this developer signs in by palm and needs no link")
    invitation = new_secret()
    given = replace(
        developer, invitation_digest=digest_of(invitation), invitation_ends_at=now + lifetime
    )
    stores.developers.replace_invitation(given)
    stores.portal_sessions.end_all(given.developer_id)
    _record(stores, AuditEvent.DEVELOPER_LINK_GIVEN, developer.developer_id, now)
    return Invited(given, invitation)


def digest_of_link(typed: str) -> bytes:
    """Return the digest of an invitation; people may paste the whole link."""
    return digest_of(typed.strip().rpartition("#")[2])


def enter_by_link(stores: Stores, digest: bytes, now: datetime) -> Developer:
    """Spend an invitation or link and return its developer.

    Raises:
        InvitationRefused: it is not valid.
    """
    developer = stores.developers.spend(digest, now)
    if developer is None:
        raise InvitationRefused("the link is not valid")
    _record(stores, AuditEvent.DEVELOPER_ENTERED, developer.developer_id, now)
    return developer


def remove(stores: Stores, developer_id: str, now: datetime) -> None:
    """Remove a developer or an invitation; the clients stay.

    Raises:
        UnknownDeveloper: there is none with this id.
    """
    if not stores.developers.remove(DeveloperId(developer_id)):
        raise UnknownDeveloper("there is no such developer")
    _record(stores, AuditEvent.DEVELOPER_REMOVED, DeveloperId(developer_id), now)


def enter(
    stores: Stores, subject: PairwiseSubject, invitation: bytes | None, now: datetime
) -> Developer:
    """Return the developer with this subject, joining by the invitation if new.

    A developer who has already joined does not use up the invitation.

    Raises:
        InvitationRefused: it is not valid.
        UnknownDeveloper: not joined and no invitation.
    """
    known = stores.developers.of_subject(subject)
    if known is not None:
        return known
    if invitation is None:
        raise UnknownDeveloper("no developer has joined with this subject")
    if not stores.developers.join(invitation, subject, now):
        raise InvitationRefused("the invitation is not valid")
    joined = stores.developers.of_subject(subject)
    if joined is None:
        raise UnknownDeveloper("no developer has joined with this subject")
    _record(stores, AuditEvent.DEVELOPER_JOINED, joined.developer_id, now)
    return joined


def of_session(
    stores: Stores, digest: bytes, now: datetime, *, has_palm: bool
) -> Developer | None:
    """Return the session's developer, by palm while the pseudonym is valid, or None."""
    developer = stores.portal_sessions.find(digest, now)
    if developer is None or not has_palm:
        return developer
    if developer.subject is None:
        return None
    account = pseudonym.account_of(stores, developer.subject, SectorIdentifier(PORTAL))
    return None if account is None else developer


def _record(stores: Stores, event: AuditEvent, developer: DeveloperId, now: datetime) -> None:
    """Record an audit event that names the developer by id only."""
    stores.audit.record(event, now, developer=developer)

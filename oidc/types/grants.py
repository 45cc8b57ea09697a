"""What was allowed, and who is known by which name."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from oidc.types.names import (
    ClientId,
    GrantId,
    LinkedClientHandle,
    PairwiseSubject,
    SectorIdentifier,
    SessionId,
    Sid,
)


@dataclass(frozen=True, slots=True)
class Grant:
    """What was allowed, to whom, for whom. Knows a subject and no account.

    Attributes:
        grant_id: names the grant in the store and in access tokens.
        client_id: to whom.
        subject: for whom, as that client knows the person.
        scope: what.
        nonce: of the authorization request, for the ID token.
        auth_time: when the palm was recognised; aware, UTC.
        amr: how (RFC 8176).
        session_id: within which session of a browser; None for grants older than sessions.
        sid: how the client knows that session.
    """

    grant_id: GrantId
    client_id: ClientId
    subject: PairwiseSubject
    scope: tuple[str, ...]
    nonce: str | None = field(repr=False)
    auth_time: datetime
    amr: tuple[str, ...]
    session_id: SessionId | None = field(default=None, repr=False)
    sid: Sid | None = None


@dataclass(frozen=True, slots=True)
class Pseudonym:
    """What one account is called within one sector, and since when (aware, UTC)."""

    subject: PairwiseSubject = field(repr=False)
    sector: SectorIdentifier
    created_at: datetime


@dataclass(frozen=True, slots=True)
class LinkedClient:
    """A client that knows an account.

    Attributes:
        handle: names it to the account's owner.
        client_name: who.
        client_host: where its sign-ins lead.
        since: aware, UTC; when it learned its pseudonym.
    """

    handle: LinkedClientHandle
    client_name: str
    client_host: str
    since: datetime

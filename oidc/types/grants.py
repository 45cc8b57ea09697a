"""Grants and pseudonyms."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from oidc.types.levels import Level
from oidc.types.names import (
    Claimant,
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
    """A permission: its scope, client and subject. Holds a subject and no account.

    Attributes:
        nonce: for the ID token.
        auth_time: of the palm; aware, UTC.
        level: the level in the ID token; the shown one may be higher.
        session_id: None for grants older than sessions.
    """

    grant_id: GrantId
    client_id: ClientId
    subject: PairwiseSubject
    scope: tuple[str, ...]
    nonce: str | None = field(repr=False)
    auth_time: datetime
    level: Level
    session_id: SessionId | None = field(default=None, repr=False)
    sid: Sid | None = None


@dataclass(frozen=True, slots=True)
class Pseudonym:
    """The subject of one account within one sector; ``created_at`` is aware, UTC."""

    subject: PairwiseSubject = field(repr=False)
    sector: SectorIdentifier
    created_at: datetime


@dataclass(frozen=True, slots=True)
class LinkedClient:
    """A client that knows an account, since ``since`` (aware, UTC).

    ``signs_out``: it hears of a disconnection, and ends its own session.
    """

    handle: LinkedClientHandle
    client_name: str
    client_host: str
    since: datetime
    signs_out: bool


@dataclass(frozen=True, slots=True)
class SignIn:
    """One finished login by palm, as listed to its owner; ``at`` is aware, UTC."""

    client_name: str
    client_host: str
    at: datetime
    claimant: Claimant = field(repr=False)
    level: Level

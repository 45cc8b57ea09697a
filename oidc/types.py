"""The values that pass through the provider, and the two that pass through its door."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NewType
from uuid import UUID

AccountId = NewType("AccountId", UUID)
"""Our own, internal person. Never leaves the service: no token, code or client sees it."""

PairwiseSubject = NewType("PairwiseSubject", str)
"""``sub`` and ``external_user_id``: a random pseudonym of one account within one sector."""

SectorIdentifier = NewType("SectorIdentifier", str)
"""The scope within which a subject is stable; by default the client itself."""

ClientId = NewType("ClientId", str)
"""A registered relying party."""

LoginId = NewType("LoginId", str)
"""Names one pending login on both sides. Not a secret: the browser proves itself by a cookie,
the phone by the key that claimed the ticket."""

BrowserSecret = NewType("BrowserSecret", str)
"""The browser's half of a login: 256 bits, only in that login's own cookie."""

Ticket = NewType("Ticket", str)
"""The phone's half of a login: 256 bits, only inside the QR code. Spent when a phone claims it."""

Claimant = NewType("Claimant", str)
"""Which phone claimed a login: opaque to the provider (mobile_api passes a key thumbprint)."""


class LoginState(StrEnum):
    """Where a login stands. Each move is one conditional UPDATE."""

    PENDING = "pending"
    SCANNED = "scanned"
    VERIFIED = "verified"
    APPROVED = "approved"
    COMPLETED = "completed"
    DECLINED = "declined"
    EXPIRED = "expired"
    LOCKED = "locked"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class ClaimedLogin:
    """What a phone learns when it claims a ticket.

    Attributes:
        login_id: names the login in the phone's later requests.
        client_name: who asks, to be shown to the person.
        client_host: host of the redirect URI, to be shown beside the name.
        scope: what is asked for.
        expires_at: aware, UTC; when the next step must have happened.
        account: the account to be verified one-to-one if the client named a user
            (specification §4.6), else None. Stays inside mobile_api.
    """

    login_id: LoginId
    client_name: str
    client_host: str
    scope: tuple[str, ...]
    expires_at: datetime
    account: AccountId | None


@dataclass(frozen=True, slots=True)
class Authenticated:
    """The palm named this account.

    Attributes:
        account: whom.
        auth_time: aware, UTC.
        amr: Authentication Methods References (RFC 8176) to be stated.
    """

    account: AccountId
    auth_time: datetime
    amr: tuple[str, ...] = ("user", "mfa")


@dataclass(frozen=True, slots=True)
class Mismatched:
    """The palm named nobody, or somebody else than was asked for: nothing tells which."""


Outcome = Authenticated | Mismatched
"""What a palm gave; ``handoff.settle`` takes it."""

"""A login across two devices: its states, and what passes through ``handoff``."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from oidc.types.names import AccountId, LoginId


class LoginState(StrEnum):
    """The state of a login. Each move is one conditional UPDATE."""

    PENDING = "pending"
    SCANNED = "scanned"
    VERIFIED = "verified"
    APPROVED = "approved"
    COMPLETED = "completed"
    DECLINED = "declined"
    EXPIRED = "expired"
    LOCKED = "locked"
    CANCELLED = "cancelled"
    SUPERSEDED = "superseded"
    REPORTED = "reported"


OPEN_STATES: Final = frozenset(
    {LoginState.PENDING, LoginState.SCANNED, LoginState.VERIFIED, LoginState.APPROVED}
)
"""The states with a deadline; all others are final."""


class NextStep(StrEnum):
    """What happens next, as phone and page see it: the wire's ``hint``."""

    WAIT_SCAN = "wait_scan"
    WAIT_PALM = "wait_palm"
    PALM_RETRY = "palm_retry"
    WAIT_APPROVE = "wait_approve"
    WAIT_CODE = "wait_code"
    CODE_RETRY = "code_retry"
    GO = "go"
    DECLINED = "declined"
    REPORTED = "reported"
    EXPIRED = "expired"
    LOCKED = "locked"
    CODE_LOCKED = "code_locked"
    CANCELLED = "cancelled"
    SUPERSEDED = "superseded"


class Network(StrEnum):
    """Whether phone and browser share a network, as far as addresses show."""

    SAME = "same"
    DIFFERENT = "different"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class BrowserDescription:
    """What the browser that began a login says of itself: coarse, not to be trusted.

    Attributes:
        browser: family, such as Firefox; None if unknown.
        system: family, such as Windows; None if unknown.
        network: prefix of its address; never leaves the provider.
    """

    browser: str | None = None
    system: str | None = None
    network: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class ClaimedLoginState:
    """The state of a claimed login, as its phone may know it.

    Attributes:
        expires_at: deadline of the next step, or when it ended; aware, UTC.
        account: as in ``ClaimedLogin``; stays inside mobile_api.
        confirmation_code: shown to the person while the browser waits for it.
    """

    state: LoginState
    hint: NextStep
    attempts_left: int
    expires_at: datetime
    account: AccountId | None = field(default=None, repr=False)
    confirmation_code: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class ClaimedLogin:
    """What a phone learns when it claims a ticket.

    Attributes:
        client_host: host of the redirect URI, shown beside the name.
        expires_at: deadline of the next step; aware, UTC.
        account: to be verified one-to-one if the client named a user (specification §4.6), else
            None. Stays inside mobile_api.
        page_url: the consent page; shows nothing without its browser's cookie.
        network: whether the phone is in the browser's network.
        asked_at: when the browser began; aware, UTC.
        may_ask_code: whether the browser may have to type a confirmation code.
    """

    login_id: LoginId
    client_name: str
    client_host: str
    scope: tuple[str, ...]
    expires_at: datetime
    account: AccountId | None
    hint: NextStep
    page_url: str
    origin: BrowserDescription
    network: Network
    asked_at: datetime
    may_ask_code: bool


@dataclass(frozen=True, slots=True)
class Authenticated:
    """The palm matched this account.

    Attributes:
        auth_time: aware, UTC.
        amr: Authentication Methods References (RFC 8176).
    """

    account: AccountId
    auth_time: datetime
    amr: tuple[str, ...] = ("user", "mfa")


@dataclass(frozen=True, slots=True)
class Mismatched:
    """The palm matched nobody, or not the user asked for; indistinguishable on purpose."""


Outcome = Authenticated | Mismatched
"""What a palm gave, for ``Door.record_outcome``."""

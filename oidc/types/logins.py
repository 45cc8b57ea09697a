"""A login across two devices: where it stands, and what passes through the door."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from oidc.types.names import AccountId, LoginId


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
    SUPERSEDED = "superseded"
    REPORTED = "reported"


OPEN_STATES: Final = frozenset(
    {LoginState.PENDING, LoginState.SCANNED, LoginState.VERIFIED, LoginState.APPROVED}
)
"""The states that have a deadline; every other one is final."""


class NextStep(StrEnum):
    """What happens next, in a word that machines compare. The phone and the page share them."""

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
    """Whether phone and browser came by one network, as far as their addresses tell."""

    SAME = "same"
    DIFFERENT = "different"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class BrowserDescription:
    """What the browser that began a login says of itself: coarse, and not to be trusted.

    Attributes:
        browser: family, such as Firefox; None if it does not say.
        system: family, such as Windows; None if it does not say.
        network: first part of its address; never leaves the provider.
    """

    browser: str | None = None
    system: str | None = None
    network: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class ClaimedLoginState:
    """Where a claimed login stands, as its phone may know it.

    Attributes:
        state: the state itself.
        hint: what happens next.
        attempts_left: how many palms may still be presented.
        expires_at: aware, UTC; deadline of the next step, or when it ended.
        account: as in ``ClaimedLogin``. Stays inside mobile_api.
        confirmation_code: to be shown to the person, while the browser waits for it.
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
        login_id: names the login in the phone's later requests.
        client_name: who asks, to be shown to the person.
        client_host: host of the redirect URI, to be shown beside the name.
        scope: what is asked for.
        expires_at: aware, UTC; when the next step must have happened.
        account: the account to be verified one-to-one if the client named a user
            (specification §4.6), else None. Stays inside mobile_api.
        hint: what happens next.
        page_url: address of the consent page; shows nothing without its browser's cookie.
        origin: what the browser says of itself.
        network: whether the phone came by the browser's network.
        asked_at: aware, UTC; when the browser began.
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

"""A login across two devices: its states, and what passes through ``handoff``."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from oidc.types.levels import Level
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
    """The next step for phone and page: the wire's ``hint``."""

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
    PHONE_NOT_TRUSTED = "phone_not_trusted"


class Network(StrEnum):
    """Whether phone and browser share a network, by address."""

    SAME = "same"
    DIFFERENT = "different"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class BrowserDescription:
    """A browser's own description, untrusted; ``network`` never leaves the provider."""

    browser: str | None = None
    system: str | None = None
    network: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class ClaimedLoginState:
    """The state of a claimed login, as its phone may know it.

    ``expires_at`` is the next deadline, or when it ended, ``asked_at`` when the browser asked;
    ``account`` stays inside mobile_api; ``seq`` grows with each change. Times are aware, UTC.
    ``familiar`` is said once, with a palm that matched: see ``state_machine.is_familiar``.
    """

    state: LoginState
    hint: NextStep
    attempts_left: int
    expires_at: datetime
    asked_at: datetime
    account: AccountId | None = field(default=None, repr=False)
    confirmation_code: str | None = field(default=None, repr=False)
    seq: int = 0
    familiar: bool = False


@dataclass(frozen=True, slots=True)
class ClaimedLogin:
    """The facts about a login that a phone gets for a ticket.

    ``account`` is to verify one-to-one if the client named a user (specification §4.6); it
    stays inside mobile_api. ``page_url`` is useless without its cookie. ``asked_at``: when the
    code was first shown, or renewed. Times are aware, UTC.
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
    accepts: tuple[Level, ...]
    registered_itself: bool
    client_logo: str | None


@dataclass(frozen=True, slots=True)
class Authenticated:
    """The palm matched this account."""

    account: AccountId
    auth_time: datetime
    level: Level


@dataclass(frozen=True, slots=True)
class Mismatched:
    """The palm matched no account or another one; the answer does not say which."""


Outcome = Authenticated | Mismatched
"""The outcome of a palm, for ``Handoff.record_outcome``."""

"""Values shared by every folder, without behaviour.

``Authenticated`` and ``ClaimedLogin`` also pass through ``handoff`` to mobile_api.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Final, NewType
from uuid import UUID

Clock = Callable[[], datetime]
"""Returns the time: aware, UTC."""


def utc_now() -> datetime:
    """Return the machine's time: the clock that commands and ``app`` pass on."""
    return datetime.now(UTC)  # noqa: TID251 -- the only place that reads it for them


@dataclass(frozen=True, slots=True)
class Brand:
    """The operator's look: a name, a colour as in CSS, and an SVG file; None: ours."""

    name: str = "Thenar"
    colour: str = "#0b6e5f"
    mark: Path | None = None


AccountId = NewType("AccountId", UUID)
"""Our internal person, here an alias (``oidc.aliases``). Never leaves the service."""

PairwiseSubject = NewType("PairwiseSubject", str)
"""``sub`` and ``external_user_id``: random, one for each account and sector."""

SectorIdentifier = NewType("SectorIdentifier", str)
"""Where a subject is stable; by default the client."""

ClientId = NewType("ClientId", str)

LoginId = NewType("LoginId", str)
"""Not a secret."""

BrowserSecret = NewType("BrowserSecret", str)
"""The browser's half of a login: 256 bits, in its cookie."""

Ticket = NewType("Ticket", str)
"""The phone's half: login ID and 128 secret bits."""

Claimant = NewType("Claimant", str)
"""The alias of a phone, opaque here."""

LinkedClientHandle = NewType("LinkedClientHandle", str)
"""One client's link to one account."""

GrantId = NewType("GrantId", str)

SessionId = NewType("SessionId", str)
"""Shared by the grants of one palm in one browser. Internal."""

SessionSecret = NewType("SessionSecret", str)
"""256 bits in a cookie."""

Sid = NewType("Sid", str)
"""A session as one client knows it, different for each."""


class Level(StrEnum):
    """The strength of a sign-in, named by ``acr``; best first, then those of sandboxes."""

    PALM_AND_PHONE = "palm-and-phone"
    PALM_AT_STATION = "palm-at-station"
    PALM = "palm"
    SANDBOX = "sandbox"
    SANDBOX_STATION = "sandbox/palm-at-station"
    SANDBOX_PALM = "sandbox/palm"


@dataclass(frozen=True, slots=True)
class LoginLimits:
    """The deadlines and tries of a login.

    Attributes:
        pending_s: until a phone claims the ticket.
        scanned_s: until a palm is recognised.
        verified_s: until approval.
        approved_s: until the browser collects.
        attempts: palms.
        ticket_grace_s: accepted after it was shown.
        renewable_s: from the start, while unclaimed.
    """

    pending_s: int = 180
    scanned_s: int = 120
    verified_s: int = 60
    approved_s: int = 30
    attempts: int = 3
    ticket_step_s: int = 5
    ticket_grace_s: int = 20
    renewable_s: int = 600
    code_s: int = 120
    code_tries: int = 3
    known_browser_s: int = 180 * 86_400


@dataclass(frozen=True, slots=True)
class Lifetimes:
    """How long issued credentials are valid.

    Attributes:
        refresh_token_s: a family, however often rotated.
        refresh_token_idle_s: an unused token.
        refresh_grace_s: repeats of the same successor.
        session_s: sign-in without a palm; 0: never.
    """

    code_s: int = 60
    access_token_s: int = 3600
    id_token_s: int = 3600
    refresh_token_s: int = 90 * 86_400
    refresh_token_idle_s: int = 30 * 86_400
    refresh_grace_s: int = 30
    session_s: int = 0


@dataclass(frozen=True, slots=True)
class Retention:
    """How long an operator keeps ended records."""

    audit: timedelta
    sign_ins: timedelta


CLOCKS_APART: Final = timedelta(seconds=30)
"""Most that a host may differ from the database; a login waits so long for its browser."""

RENEWAL_S: Final = 15
"""After which a running process tells again that it runs."""


@dataclass(frozen=True, slots=True)
class Process:
    """A running process.

    Attributes:
        protocol: the newest migration of the protocol database that its program knows.
        biometric: the same of the biometric database; empty: it serves no phones.
    """

    host: str
    pid: int
    program: str
    protocol: str
    biometric: str
    seen_at: datetime

    def __str__(self) -> str:
        return f"Thenar {self.program} on {self.host}, process {self.pid}"


@dataclass(frozen=True, slots=True)
class Running:
    """The facts about a service in its protocol database.

    Attributes:
        is_new: the database has no tables.
        is_joined: a biometric database belongs to it.
        processes: of all hosts; none where a version cannot roll.
    """

    is_new: bool
    is_joined: bool
    processes: list[Process]


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
    stays inside mobile_api. ``page_url`` is useless without its cookie. Times are aware, UTC.
    ``opened_at``: when the code was first shown, or renewed.
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
    opened_at: datetime
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


class AuditEvent(StrEnum):
    """The audit events of the protocol database."""

    CLIENT_REGISTERED = "client_registered"
    CLIENT_CHANGED = "client_changed"
    CLIENT_REMOVED = "client_removed"
    SECRET_ROTATED = "client_secret_rotated"  # noqa: S105 - a name
    SIGNING_KEY_MADE = "signing_key_made"
    INITIAL_TOKEN_GIVEN = "initial_token_given"  # noqa: S105 - a name
    INITIAL_TOKEN_REVOKED = "initial_token_revoked"  # noqa: S105 - a name
    DEVELOPER_INVITED = "developer_invited"
    DEVELOPER_JOINED = "developer_joined"
    DEVELOPER_LINK_GIVEN = "developer_link_given"
    DEVELOPER_ENTERED = "developer_entered"
    DEVELOPER_REMOVED = "developer_removed"
    MEMBER_INVITED = "client_member_invited"
    MEMBER_ADDED = "client_member_added"
    MEMBER_REMOVED = "client_member_removed"
    OWNER_CHANGED = "client_owner_changed"
    PSEUDONYM_WITHDRAWN = "pseudonym_withdrawn"
    ACCOUNT_FORGOTTEN = "account_forgotten"
    CREDENTIAL_REUSED = "credential_reused"
    LOGIN_REPORTED = "login_reported"
    LOGINS_ENDED = "logins_ended"
    SIGN_INS_ENDED = "sign_ins_ended"
    RESTORED = "restored"

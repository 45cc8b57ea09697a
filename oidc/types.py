"""Values shared by every folder, without behaviour.

``Authenticated`` and ``ClaimedLogin`` also pass through ``handoff`` to mobile_api.
An audit entry holds the SHA-256 of itself and the entry before. A writer of the database can
still cut off the end or rewrite it all: note the last digest on another host.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Final, NewType, Self
from uuid import UUID

Clock = Callable[[], datetime]
"""Returns the time: aware, UTC."""


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


ASSERTION_ALGORITHMS: Final = ("RS256", "ES256", "PS256")
"""Accepted signatures of clients; the token alone never chooses (RFC 8725 §3.1)."""

FAPI_ALGORITHMS: Final = ("ES256", "PS256")
"""FAPI 2.0 §5.4.1."""


class ResponseMode(StrEnum):
    """How an authorization response travels. OAuth 2.0 Multiple Response Types §2.1."""

    QUERY = "query"
    FORM_POST = "form_post"


class Authentication(StrEnum):
    """How a client authenticates."""

    CLIENT_SECRET = "client_secret"  # noqa: S105 - the name of a method
    PRIVATE_KEY_JWT = "private_key_jwt"
    NONE = "none"


class Profile(StrEnum):
    """The security profile of a client."""

    STANDARD = "standard"
    FAPI2 = "fapi2"


class Setter(StrEnum):
    """Who sets the options of a client."""

    OPERATOR = "operator"
    DEVELOPER = "developer"
    CLIENT = "client"


class ConfirmCode(StrEnum):
    """When the browser must type a code that the phone shows."""

    NEVER = "never"
    ON_RISK = "on-risk"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True)
class Client:
    """A registered relying party.

    Attributes:
        redirect_uris: compared exactly, but for ports of a ``native`` client. RFC 8252 §7.3.
        secret_digest: SHA-256 of 256 random bits.
        created_at: aware, UTC.
        jwks: for private_key_jwt (RFC 7517).
        resource_server: may introspect every access token.
        former_secret_ends_at: aware, UTC.
        post_logout_redirect_uris: compared exactly.
        accept_palm_alone: if the operator allows it, too.
        sandbox: signs in scripted people only; never changes.
    """

    client_id: ClientId
    name: str
    redirect_uris: tuple[str, ...]
    scope: tuple[str, ...]
    sector: SectorIdentifier
    external_user_id: bool
    secret_digest: bytes = field(repr=False)
    created_at: datetime
    authentication: Authentication = Authentication.CLIENT_SECRET
    jwks: str | None = None
    require_pkce: bool = False
    require_par: bool = False
    resource_server: bool = False
    id_token_algorithm: str = "RS256"  # noqa: S105 - the name of an algorithm
    require_dpop: bool = False
    profile: Profile = Profile.STANDARD
    former_secret_digest: bytes | None = field(default=None, repr=False)
    former_secret_ends_at: datetime | None = None
    confirm_code: ConfirmCode = ConfirmCode.ON_RISK
    post_logout_redirect_uris: tuple[str, ...] = ()
    backchannel_logout_uri: str | None = None
    backchannel_logout_session_required: bool = False
    accept_palm_alone: bool = False
    accept_stations: bool = False
    sandbox: bool = False
    native: bool = False


@dataclass(frozen=True, slots=True)
class Policy:
    """Who sets options, and what the installation allows.

    Attributes:
        profile: of clients that choose none.
        require_pkce: of all clients.
        present: the client that is changed; None: a new one.
    """

    setter: Setter
    profile: Profile = Profile.STANDARD
    require_pkce: bool = False
    palm_alone: bool = False
    private_hosts: bool = False
    present: Client | None = None


@dataclass(frozen=True, slots=True)
class AuthorizationRequest:
    """A checked authorization request, made by ``authorization.request``.

    Attributes:
        client_name: stored, so that the phone's side reads one table.
        scope: requested and allowed.
        code_challenge: PKCE S256.
        user_id: not yet looked up (specification §4.6).
        dpop_jkt: RFC 9449 §10.
        ui_locales: not negotiated.
        accepts: the levels that sign a person in, best first.
        registered_itself: the client's name is unchecked.
        sandbox: of a sandbox client, which has no real people.
        reference: digest of a pushed request's reference, which the first code spends.
    """

    client_id: ClientId
    client_name: str
    sector: SectorIdentifier
    redirect_uri: str
    scope: tuple[str, ...]
    state: str | None = field(default=None, repr=False)
    nonce: str | None = field(default=None, repr=False)
    code_challenge: str | None = field(default=None, repr=False)
    user_id: str | None = field(default=None, repr=False)
    response_mode: ResponseMode = ResponseMode.QUERY
    dpop_jkt: str | None = None
    confirm_code: ConfirmCode = ConfirmCode.NEVER
    ui_locales: str | None = None
    accepts: tuple[Level, ...] = (Level.PALM_AND_PHONE,)
    registered_itself: bool = False
    sandbox: bool = False
    reference: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class ClientLimits:
    """Limits of one client per minute; 0: none."""

    requests: int
    logins: int
    failures: int


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


_START: Final = bytes(32)
"""Digest before the first entry."""


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


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One entry.

    Attributes:
        position: from 1.
        at: aware, UTC, whole milliseconds.
        details: JSON, sorted keys.
        digest: over this entry and the one before.
    """

    position: int
    at: datetime
    event: str
    details: str
    digest: bytes = field(repr=False)

    @classmethod
    def after(
        cls,
        last: AuditEntry | None,
        event: StrEnum,
        at: datetime,
        details: Mapping[str, int | str],
    ) -> Self:
        """Return the entry that follows ``last``; None starts the chain."""
        at = at.replace(microsecond=at.microsecond // 1000 * 1000)
        text = json.dumps(dict(details), sort_keys=True, separators=(",", ":"))
        position, before = _end_of(last)
        digest = _digest_of(before, position + 1, at, event.value, text)
        return cls(position + 1, at, event.value, text, digest)

    def follows(self, last: AuditEntry | None) -> bool:
        """Return whether this entry follows ``last`` unchanged."""
        position, before = _end_of(last)
        ours = _digest_of(before, position + 1, self.at, self.event, self.details)
        return self.position == position + 1 and self.digest == ours


def _end_of(last: AuditEntry | None) -> tuple[int, bytes]:
    return (0, _START) if last is None else (last.position, last.digest)


def _digest_of(before: bytes, position: int, at: datetime, event: str, details: str) -> bytes:
    moment = at.isoformat(timespec="milliseconds")
    link = json.dumps([position, moment, event, details], separators=(",", ":"))
    return hashlib.sha256(before + link.encode("utf-8")).digest()

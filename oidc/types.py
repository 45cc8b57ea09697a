"""The values that pass through the provider, and the two that pass through its door."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final, NewType
from uuid import UUID

Clock = Callable[[], datetime]
"""Tells the time: aware, UTC. Only ``app.py`` knows the real one."""

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
"""The phone's half of a login, only inside the QR code: its name and 128 secret bits that
change every few seconds. One phone may claim it."""

Claimant = NewType("Claimant", str)
"""Which phone claimed a login: opaque to the provider (mobile_api passes a key thumbprint)."""


ConnectionHandle = NewType("ConnectionHandle", str)
"""Names one client's acquaintance with one account, to that account's owner only."""

GrantId = NewType("GrantId", str)
"""Names one grant: what a code, its refresh tokens and its access tokens have in common."""

SessionId = NewType("SessionId", str)
"""Names what one palm began in one browser: the grants of one session share it. Internal."""

SessionSecret = NewType("SessionSecret", str)
"""What a browser shows to sign in without a palm for some minutes: 256 bits, in its cookie."""

Sid = NewType("Sid", str)
"""A session as one client knows it (``sid``): no two clients are told the same."""


class ResponseMode(StrEnum):
    """How an answer travels to the client. OAuth 2.0 Multiple Response Types §2.1."""

    QUERY = "query"
    FORM_POST = "form_post"


class Authentication(StrEnum):
    """How a client proves itself."""

    CLIENT_SECRET = "client_secret"  # noqa: S105 - the name of a method
    PRIVATE_KEY_JWT = "private_key_jwt"
    NONE = "none"


class Profile(StrEnum):
    """How strict a client is treated."""

    STANDARD = "standard"
    FAPI2 = "fapi2"


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


@dataclass(frozen=True, slots=True)
class Limits:
    """How long each open state may last, and how often what may fail.

    Attributes:
        pending_s: until a phone claims the ticket.
        scanned_s: until a palm is recognised.
        verified_s: until the person approves.
        approved_s: until the browser collects.
        attempts: palms that may be presented.
        ticket_step_s: after how long the QR code shows the next ticket.
        ticket_grace_s: how long a ticket is accepted that is no longer shown.
        renewable_s: how long after its beginning a login nobody scanned may be renewed.
        code_s: until the confirmation code is typed.
        code_tries: wrong confirmation codes that may be typed.
        known_browser_s: how long a browser that finished a login is known to its account.
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
    """How long what is issued may live.

    Attributes:
        code_s: an authorization code.
        access_token_s: an access token.
        id_token_s: an ID token.
        refresh_token_s: a family of refresh tokens, however often they are rotated.
        refresh_token_idle_s: a refresh token that is not used.
        refresh_grace_s: how long a spent refresh token gives the same successor again.
        session_s: how long after a palm its browser may sign in without one; 0: never.
    """

    code_s: int = 60
    access_token_s: int = 3600
    id_token_s: int = 3600
    refresh_token_s: int = 90 * 86_400
    refresh_token_idle_s: int = 30 * 86_400
    refresh_grace_s: int = 10
    session_s: int = 0


class Hint(StrEnum):
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


class ConfirmCode(StrEnum):
    """When the browser must type a code that the phone shows."""

    NEVER = "never"
    ON_RISK = "on-risk"
    ALWAYS = "always"


class Network(StrEnum):
    """Whether phone and browser came by one network, as far as their addresses tell."""

    SAME = "same"
    DIFFERENT = "different"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Origin:
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
class Client:
    """A registered relying party.

    Attributes:
        client_id: its public name on the wire.
        name: what the person reads on the consent page and the phone.
        redirect_uris: where codes may be sent; compared exactly.
        scope: what it may ask for.
        sector: within which its subjects are stable.
        external_user_id: whether ID tokens carry the claim ``external_user_id`` beside ``sub``.
        secret_digest: SHA-256 of the client secret (256 random bits, so no slow hash is
            needed).
        created_at: aware, UTC.
        authentication: how it proves itself at the token endpoint.
        jwks: its public keys (RFC 7517, JSON) if it signs; None otherwise.
        require_pkce: whether every request must carry a PKCE challenge.
        require_par: whether it must push every request (RFC 9126).
        resource_server: whether it may ask about access tokens of every client.
        id_token_algorithm: what its ID tokens are signed with.
        require_dpop: whether its tokens must be bound to a key (RFC 9449).
        profile: which security profile it is held to.
        former_secret_digest: of the secret before a rollover; None if there is none.
        former_secret_ends_at: until when that one is good, too; aware, UTC.
        confirm_code: when its logins ask for a confirmation code.
        post_logout_redirect_uris: where browsers may be sent after a logout; compared exactly.
        backchannel_logout_uri: where it is told of logouts; None if it is not.
        backchannel_logout_session_required: whether it must be told which session ended.
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


@dataclass(frozen=True, slots=True)
class AuthorizationRequest:
    """An authorization request that passed every check. Only ``authorize`` makes one.

    Attributes:
        client_id: who asks.
        client_name: its name, kept with the login so that the phone's side reads one table
            only.
        sector: the sector of the client.
        redirect_uri: registered for the client, exactly.
        scope: what was asked for and may be granted.
        state: returned unchanged; None if none was sent.
        nonce: goes into the ID token; None if none was sent.
        code_challenge: PKCE S256 (RFC 7636); None if none was sent.
        user_id: the linked user to verify (specification §4.6), not yet looked up.
        response_mode: how the answer travels.
        dpop_jkt: thumbprint of the key that the code is bound to (RFC 9449 §10); None if to
            none.
        confirm_code: when the client asks for a confirmation code.
        ui_locales: languages the client asked for, in its order; not negotiated yet.
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
    hint: Hint
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
    hint: Hint
    page_url: str
    origin: Origin
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


@dataclass(frozen=True, slots=True)
class Connection:
    """A client that knows an account.

    Attributes:
        handle: names it to the account's owner.
        client_name: who.
        client_host: where its sign-ins lead.
        since: aware, UTC; when it learned its pseudonym.
    """

    handle: ConnectionHandle
    client_name: str
    client_host: str
    since: datetime


@dataclass(frozen=True, slots=True)
class Pseudonym:
    """What one account is called within one sector, and since when (aware, UTC)."""

    subject: PairwiseSubject = field(repr=False)
    sector: SectorIdentifier
    created_at: datetime

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
"""The phone's half of a login: 256 bits, only inside the QR code. One phone may claim it."""

Claimant = NewType("Claimant", str)
"""Which phone claimed a login: opaque to the provider (mobile_api passes a key thumbprint)."""


GrantId = NewType("GrantId", str)
"""Names one grant: what a code, its refresh tokens and its access tokens have in common."""


class ResponseMode(StrEnum):
    """How an answer travels to the client. OAuth 2.0 Multiple Response Types §2.1."""

    QUERY = "query"
    FORM_POST = "form_post"


class Authentication(StrEnum):
    """How a client proves itself."""

    CLIENT_SECRET = "client_secret"  # noqa: S105 - the name of a method
    PRIVATE_KEY_JWT = "private_key_jwt"
    NONE = "none"


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


OPEN_STATES: Final = frozenset(
    {LoginState.PENDING, LoginState.SCANNED, LoginState.VERIFIED, LoginState.APPROVED}
)
"""The states that have a deadline; every other one is final."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long each open state may last, and how many palms may fail.

    Attributes:
        pending_s: until a phone claims the ticket.
        scanned_s: until a palm is recognised.
        verified_s: until the person approves.
        approved_s: until the browser collects.
        attempts: palms that may be presented.
    """

    pending_s: int = 180
    scanned_s: int = 120
    verified_s: int = 60
    approved_s: int = 30
    attempts: int = 3


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
    """

    code_s: int = 60
    access_token_s: int = 3600
    id_token_s: int = 3600
    refresh_token_s: int = 90 * 86_400
    refresh_token_idle_s: int = 30 * 86_400
    refresh_grace_s: int = 10


class Hint(StrEnum):
    """What happens next, in a word that machines compare. The phone and the page share them."""

    WAIT_SCAN = "wait_scan"
    WAIT_PALM = "wait_palm"
    PALM_RETRY = "palm_retry"
    WAIT_APPROVE = "wait_approve"
    GO = "go"
    DECLINED = "declined"
    EXPIRED = "expired"
    LOCKED = "locked"
    CANCELLED = "cancelled"


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
    """

    grant_id: GrantId
    client_id: ClientId
    subject: PairwiseSubject
    scope: tuple[str, ...]
    nonce: str | None = field(repr=False)
    auth_time: datetime
    amr: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ClaimedLoginState:
    """Where a claimed login stands, as its phone may know it.

    Attributes:
        state: the state itself.
        hint: what happens next.
        attempts_left: how many palms may still be presented.
        expires_at: aware, UTC; deadline of the next step, or when it ended.
        account: as in ``ClaimedLogin``. Stays inside mobile_api.
    """

    state: LoginState
    hint: Hint
    attempts_left: int
    expires_at: datetime
    account: AccountId | None = field(default=None, repr=False)


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

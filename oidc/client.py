"""Relying parties: how each is registered, and what it requests."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from oidc.types import ClientId, Level, SectorIdentifier

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
class ClientLimits:
    """Limits of one client per minute; 0: none."""

    requests: int
    logins: int
    failures: int


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

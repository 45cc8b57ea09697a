"""Relying parties and their requests."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from oidc.types.names import ClientId, SectorIdentifier


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


class ConfirmCode(StrEnum):
    """When the browser must type a code that the phone shows."""

    NEVER = "never"
    ON_RISK = "on-risk"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True)
class Client:
    """A registered relying party.

    Attributes:
        name: shown on the consent page and the phone.
        redirect_uris: where codes may be sent; compared exactly.
        sector: within which its subjects are stable.
        external_user_id: whether ID tokens carry ``external_user_id`` beside ``sub``.
        secret_digest: SHA-256 of 256 random bits, so no slow hash is needed.
        created_at: aware, UTC.
        jwks: public keys (RFC 7517, JSON) for private_key_jwt; else None.
        require_par: whether it must push every request (RFC 9126).
        resource_server: whether it may introspect access tokens of every client.
        require_dpop: whether its tokens must be bound to a key (RFC 9449).
        former_secret_digest: of the secret before a rollover, valid until
            ``former_secret_ends_at`` (aware, UTC).
        confirm_code: when its logins ask for a confirmation code.
        post_logout_redirect_uris: compared exactly.
        backchannel_logout_uri: where logout tokens are posted; None: nowhere.
        backchannel_logout_session_required: whether logout tokens must name the session.
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
    """A checked authorization request. Only ``authorization.request`` makes one.

    Attributes:
        client_name: stored with the login, so that the phone's side reads one table only.
        redirect_uri: registered for the client, exactly.
        scope: requested and allowed.
        code_challenge: PKCE S256 (RFC 7636), or None.
        user_id: the linked user to verify (specification §4.6), not yet looked up.
        dpop_jkt: thumbprint of the key the code is bound to (RFC 9449 §10), or None.
        ui_locales: requested languages, in order; not negotiated yet.
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
class ClientLimits:
    """Limits of one client per minute; 0: none.

    Attributes:
        requests: authenticated calls: tokens, revocation, introspection, PAR.
        logins: begun in its name.
        failures: wrong credentials in its name, from one address.
    """

    requests: int
    logins: int
    failures: int

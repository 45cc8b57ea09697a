"""Relying parties and what they ask."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from oidc.types.names import ClientId, SectorIdentifier


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


class ConfirmCode(StrEnum):
    """When the browser must type a code that the phone shows."""

    NEVER = "never"
    ON_RISK = "on-risk"
    ALWAYS = "always"


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
class ClientLimits:
    """Limits for one client in one minute; 0: none.

    Attributes:
        requests: that it proved itself for: tokens, revocation, introspection, pushed requests.
        logins: begun in its name.
        failures: credentials of its name that were wrong, from one address.
    """

    requests: int
    logins: int
    failures: int

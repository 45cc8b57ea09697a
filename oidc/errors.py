"""Every fault the provider raises.

::

    OidcError
    ├── AuthorizationFault         an authorization request was refused
    │   ├── UntrustedRequest       client or redirect URI unknown: shown, never redirected
    │   └── AuthorizationRefused         told to the client by a redirect; carries ``error``
    ├── LoginFault                 a login cannot do what was asked
    │   ├── LoginGone              unknown, expired or finished; may carry a ``NextStep``
    │   ├── TicketStale            an old picture of the QR code
    │   ├── AlreadyClaimed         another phone holds it
    │   ├── WrongState             it is not the moment for this step
    │   └── WrongBrowser           the cookie of the browser that began is missing
    ├── ClientFault                a client cannot be registered or changed like this
    │   ├── UnknownClient          no client has this identifier
    │   ├── ClientRefused          its name or scope is not acceptable
    │   ├── RedirectUriRefused     a redirect URI that could not be kept safe
    │   ├── MetadataRefused        what it says of itself (RFC 7591 §3.2.2); carries ``error``
    │   └── UnknownInitialToken    no initial access token has this name
    ├── TooManyCalls               more of one client than are taken in a minute
    ├── TooManyRegistrations       one initial access token registered too many clients
    ├── BearerFault                a protected resource refused the access token (RFC 6750 §3.1)
    │   ├── TokenMissing           none was sent
    │   ├── BearerRequestInvalid   sent twice, or in two ways
    │   ├── TokenInvalid           malformed, expired, revoked or not for this resource
    │   └── ScopeInsufficient      valid, but without the scope ``openid``
    ├── LinkedClientGone             the account is not known to that client (any more)
    ├── ProofRefused               a DPoP proof proves nothing (RFC 9449 §4.3)
    │   └── NonceNeeded            it lacks a nonce of this server (RFC 9449 §8)
    ├── AssertionRefused           a client assertion proves nothing (RFC 7523 §3)
    ├── ForeignToken               a token of another client (RFC 7009 §2.1)
    ├── LogoutRefused              a logout request that contradicts what is registered
    ├── DeliveryFailed             a client could not be told of a logout
    ├── PortalFault                the developer portal cannot do what was asked
    │   ├── InvitationRefused      unknown, used or expired: nothing tells which
    │   ├── UnknownDeveloper       no developer has this identifier, or nobody joined as this
    │   ├── NotSignedIn            the page needs a session
    │   ├── FormRefused            not a form of ours
    │   └── SignInFailed           the provider's answer to the portal proves nothing
    ├── DatabaseUnavailable               the protocol database does not answer
    ├── DatabaseNotMigrated        the protocol database is empty or of another version
    └── SigningKeyFault                   a signing key cannot be read or opened

Each class has a stable ``code``. No message holds a ticket, a code, a token, a secret, an
account or a subject.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from oidc.types import NextStep


class OidcError(Exception):
    """Any fault of the provider."""

    code: ClassVar[str] = "oidc_error"


class AuthorizationFault(OidcError):
    """An authorization request was refused."""

    code = "authorization_fault"


class UntrustedRequest(AuthorizationFault):
    """The client or its redirect URI is not registered: tell nobody but the browser."""

    code = "untrusted_request"


class AuthorizationRefused(AuthorizationFault):
    """The request is refused and the client is told. RFC 6749 §4.1.2.1.

    Args:
        error: the registered error code.
        description: for the client's developer; ASCII without quotation mark or backslash.
    """

    code = "request_refused"

    def __init__(self, error: str, description: str) -> None:
        super().__init__(f"{error}: {description}")
        self.error = error
        self.description = description


class LoginFault(OidcError):
    """A login cannot do what was asked."""

    code = "login_fault"


class LoginGone(LoginFault):
    """Unknown, expired or finished.

    Args:
        hint: how it ended; None where the asker may not know that it ever existed.
    """

    code = "login_gone"

    def __init__(self, hint: NextStep | None = None) -> None:
        super().__init__(
            "the login is over" if hint is None else f"the login is over: {hint.value}"
        )
        self.hint = hint


class TicketStale(LoginFault):
    """The ticket was on the screen, but too long ago: an old picture of the QR code."""

    code = "ticket_stale"


class AlreadyClaimed(LoginFault):
    """Another phone holds this login."""

    code = "already_claimed"


class WrongState(LoginFault):
    """It is not the moment for this step.

    Args:
        hint: what is expected instead.
    """

    code = "wrong_state"

    def __init__(self, hint: NextStep) -> None:
        super().__init__(f"not now: {hint.value}")
        self.hint = hint


class WrongBrowser(LoginFault):
    """Not the browser that began the login, or its cookie is gone."""

    code = "wrong_browser"


class ClientFault(OidcError):
    """A client cannot be registered or changed like this."""

    code = "client_fault"


class UnknownClient(ClientFault):
    """No client has this identifier."""

    code = "unknown_client"


class ClientRefused(ClientFault):
    """The client's name or scope is not acceptable."""

    code = "client_refused"


class RedirectUriRefused(ClientFault):
    """A redirect URI that could not be kept safe."""

    code = "redirect_uri_refused"


class MetadataRefused(ClientFault):
    """What a client says about itself is refused. RFC 7591 §3.2.2.

    Args:
        reason: for the client's developer.
        error: the registered error code.
    """

    code = "metadata_refused"

    def __init__(self, reason: str, error: str = "invalid_client_metadata") -> None:
        super().__init__(reason)
        self.error = error


class UnknownInitialToken(ClientFault):
    """No initial access token has this name, or it was revoked before."""

    code = "unknown_initial_token"


class TooManyCalls(OidcError):
    """More of one client, or in its name, than are taken in a minute.

    Args:
        retry_after_s: seconds until there is room again.
    """

    code = "too_many_calls"

    def __init__(self, retry_after_s: int) -> None:
        super().__init__("too many requests of this client: wait a moment")
        self.retry_after_s = retry_after_s


class TooManyRegistrations(OidcError):
    """One initial access token registered too many clients in the last hour."""

    code = "too_many_registrations"


class BearerFault(OidcError):
    """A protected resource refused the access token. RFC 6750 §3.1."""

    code = "bearer_fault"


class TokenMissing(BearerFault):
    """No access token was sent."""

    code = "token_missing"


class BearerRequestInvalid(BearerFault):
    """The access token was sent twice, or in two ways."""

    code = "invalid_request"


class TokenInvalid(BearerFault):
    """Malformed, expired, revoked or not for this resource."""

    code = "invalid_token"


class ScopeInsufficient(BearerFault):
    """A valid token without the scope ``openid``."""

    code = "insufficient_scope"


class LinkedClientGone(OidcError):
    """No living pseudonym of this account has that handle."""

    code = "connection_gone"


class ProofRefused(OidcError):
    """A DPoP proof proves nothing: badly signed, for another request, or used before."""

    code = "invalid_dpop_proof"


class NonceNeeded(ProofRefused):
    """A DPoP proof without a nonce that is good now; the answer carries one."""

    code = "use_dpop_nonce"


class AssertionRefused(OidcError):
    """A client assertion proves nothing: forged, stale, for another server, or used before."""

    code = "assertion_refused"


class ForeignToken(OidcError):
    """The token was issued to another client."""

    code = "foreign_token"


class LogoutRefused(OidcError):
    """A logout request contradicts itself or what is registered: shown, never redirected."""

    code = "logout_refused"


class DeliveryFailed(OidcError):
    """A client could not be told of a logout: it is tried again."""

    code = "delivery_failed"


class PortalFault(OidcError):
    """The developer portal cannot do what was asked."""

    code = "portal_fault"


class InvitationRefused(PortalFault):
    """The invitation is unknown, used or expired: nothing tells which."""

    code = "invitation_refused"


class UnknownDeveloper(PortalFault):
    """No developer has this identifier, or nobody joined as this person."""

    code = "unknown_developer"


class NotSignedIn(PortalFault):
    """The page needs a session, and there is none."""

    code = "not_signed_in"


class FormRefused(PortalFault):
    """The form did not come from our page, or from a page of another session."""

    code = "form_refused"


class SignInFailed(PortalFault):
    """The provider answered the portal with an error, or with something it did not ask for."""

    code = "sign_in_failed"


class DatabaseUnavailable(OidcError):
    """The protocol database does not answer, or is busy for too long."""

    code = "database_away"


class DatabaseNotMigrated(OidcError):
    """The protocol database is empty or of another version."""

    code = "database_not_migrated"


class SigningKeyFault(OidcError):
    """A signing key cannot be read: the key encryption key is missing or another one."""

    code = "key_fault"

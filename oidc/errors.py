"""The provider's exceptions, each with a stable ``code``.

::

    OidcError
    ├── AuthorizationFault
    │   ├── UntrustedRequest
    │   └── AuthorizationRefused
    ├── LoginFault
    │   ├── LoginGone
    │   ├── TicketStale
    │   ├── AlreadyClaimed
    │   ├── WrongState
    │   └── WrongBrowser
    ├── ClientFault
    │   ├── UnknownClient
    │   ├── ClientRefused
    │   ├── RedirectUriRefused
    │   ├── MetadataRefused
    │   └── UnknownInitialToken
    ├── TooManyCalls
    ├── TooManyRegistrations
    ├── BearerFault
    │   ├── TokenMissing
    │   ├── BearerRequestInvalid
    │   ├── TokenInvalid
    │   └── ScopeInsufficient
    ├── LinkedClientGone
    ├── ProofRefused
    │   └── NonceNeeded
    ├── AssertionRefused
    ├── ForeignToken
    ├── LogoutRefused
    ├── DeliveryFailed
    ├── PortalFault
    │   ├── InvitationRefused
    │   ├── UnknownDeveloper
    │   ├── NotSignedIn
    │   ├── FormRefused
    │   └── SignInFailed
    ├── DatabaseUnavailable
    ├── DatabaseNotMigrated
    └── SigningKeyFault

No message holds a ticket, code, token, secret, account or subject.
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
    """Client or redirect URI is not registered: shown in the browser, never redirected."""

    code = "untrusted_request"


class AuthorizationRefused(AuthorizationFault):
    """The request is refused and the client is told. RFC 6749 §4.1.2.1.

    Args:
        error: registered error code.
        description: for the app's developer; ASCII without quotation mark or backslash.
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
    """The login is unknown, expired or finished.

    ``hint`` says how it ended; None where the caller may not know that it existed.
    """

    code = "login_gone"

    def __init__(self, hint: NextStep | None = None) -> None:
        super().__init__(
            "the login has ended" if hint is None else f"the login has ended: {hint.value}"
        )
        self.hint = hint


class TicketStale(LoginFault):
    """The ticket was on the screen, but too long ago."""

    code = "ticket_stale"


class AlreadyClaimed(LoginFault):
    """Another phone claimed this login."""

    code = "already_claimed"


class WrongState(LoginFault):
    """The login expects another step, named by ``hint``."""

    code = "wrong_state"

    def __init__(self, hint: NextStep) -> None:
        super().__init__(f"the login is in another state: {hint.value}")
        self.hint = hint


class WrongBrowser(LoginFault):
    """Not the browser that began the login, or its cookie is gone."""

    code = "wrong_browser"


class ClientFault(OidcError):
    """A client cannot be registered or changed like this."""

    code = "client_fault"


class UnknownClient(ClientFault):
    """No client has this ID."""

    code = "unknown_client"


class ClientRefused(ClientFault):
    """The client's name, scope, key or another option is not acceptable."""

    code = "client_refused"


class RedirectUriRefused(ClientFault):
    """The redirect URI is not safe."""

    code = "redirect_uri_refused"


class MetadataRefused(ClientFault):
    """Client metadata is refused, with a registered error code. RFC 7591 §3.2.2."""

    code = "metadata_refused"

    def __init__(self, reason: str, error: str = "invalid_client_metadata") -> None:
        super().__init__(reason)
        self.error = error


class UnknownInitialToken(ClientFault):
    """No initial access token has this ID, or it was revoked before."""

    code = "unknown_initial_token"


class TooManyCalls(OidcError):
    """More requests of one client than are accepted in a minute."""

    code = "too_many_calls"

    def __init__(self, retry_after_s: int) -> None:
        super().__init__("too many requests from this client: wait a moment")
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
    """The access token was sent more than once."""

    code = "invalid_request"


class TokenInvalid(BearerFault):
    """Malformed, expired, revoked or not for this resource."""

    code = "invalid_token"


class ScopeInsufficient(BearerFault):
    """A valid token without the scope ``openid``."""

    code = "insufficient_scope"


class LinkedClientGone(OidcError):
    """No active pseudonym of this account has that handle."""

    code = "connection_gone"


class ProofRefused(OidcError):
    """A DPoP proof is invalid, for another request, or was used before. RFC 9449 §4.3."""

    code = "invalid_dpop_proof"


class NonceNeeded(ProofRefused):
    """A DPoP proof without a current nonce; the response carries one. RFC 9449 §8."""

    code = "use_dpop_nonce"


class AssertionRefused(OidcError):
    """A client assertion is invalid, stale, for another server, or reused. RFC 7523 §3."""

    code = "assertion_refused"


class ForeignToken(OidcError):
    """The token was issued to another client. RFC 7009 §2.1."""

    code = "foreign_token"


class LogoutRefused(OidcError):
    """A logout request contradicts itself or the registration: shown, never redirected."""

    code = "logout_refused"


class DeliveryFailed(OidcError):
    """A logout token was not delivered; it is tried again."""

    code = "delivery_failed"


class PortalFault(OidcError):
    """The developer portal cannot do what was asked."""

    code = "portal_fault"


class InvitationRefused(PortalFault):
    """The invitation is unknown, used or expired; it is not said which."""

    code = "invitation_refused"


class UnknownDeveloper(PortalFault):
    """No developer has this ID, or nobody joined as this person."""

    code = "unknown_developer"


class NotSignedIn(PortalFault):
    """The page needs a session."""

    code = "not_signed_in"


class FormRefused(PortalFault):
    """The form is not from our page, or from another session."""

    code = "form_refused"


class SignInFailed(PortalFault):
    """The provider answered the portal with an error, or unexpectedly."""

    code = "sign_in_failed"


class DatabaseUnavailable(OidcError):
    """The protocol database does not answer, or is busy for too long."""

    code = "database_away"


class DatabaseNotMigrated(OidcError):
    """The protocol database is empty or of another version."""

    code = "database_not_migrated"


class SigningKeyFault(OidcError):
    """A signing key cannot be decrypted: the key encryption key is missing or another one."""

    code = "key_fault"

"""The provider's exceptions, each with a stable ``code``.

::

    OidcError
    ├── AuthorizationFault
    │   ├── UntrustedRequest
    │   │   ├── UnregisteredRedirect
    │   │   └── PushedRequestGone
    │   └── AuthorizationRefused
    ├── LoginFault
    │   ├── LoginGone
    │   ├── TicketStale
    │   ├── AlreadyClaimed
    │   ├── NotFromStation
    │   ├── WrongState
    │   └── WrongBrowser
    ├── ClientFault
    │   ├── UnknownClient
    │   ├── ClientRefused
    │   ├── RedirectUriRefused
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
    │   ├── PalmNeeded
    │   ├── FormRefused
    │   ├── OwnerNeeded
    │   └── SignInFailed
    ├── SandboxBreached
    ├── DatabaseUnavailable
    ├── DatabaseNotMigrated
    ├── SigningKeyFault
    ├── KeyCommandFailed
    ├── AliasFault
    └── LimitsFault

No message holds a ticket, code, token, secret, account or subject.
"""

from typing import ClassVar

from oidc.types import NextStep


class OidcError(Exception):
    """Any fault of the provider."""

    code: ClassVar[str] = "oidc_error"


class AuthorizationFault(OidcError):
    """A refused authorization request."""

    code = "authorization_fault"


class UntrustedRequest(AuthorizationFault):
    """Unknown client or redirect URI: shown, never redirected."""

    code = "untrusted_request"


class UnregisteredRedirect(UntrustedRequest):
    """The client is registered; the redirect URI, which the message shows, is not."""

    code = "unregistered_redirect"

    def __init__(self, client_id: str, client_name: str, received: str) -> None:
        super().__init__(
            f"the redirect URI is not registered for this client, received: {received}"
        )
        self.client_id, self.client_name = client_id, client_name


class PushedRequestGone(UntrustedRequest):
    """The reference was used before, is late, or is another client's. RFC 9126 §4."""

    code = "pushed_request_gone"


class AuthorizationRefused(AuthorizationFault):
    """Redirected to the client with ``error``. RFC 6749 §4.1.2.1.

    ``description`` is ASCII without quotation mark or backslash.
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
    """Unknown, expired or finished; ``hint`` says how it ended, if the caller may know."""

    code = "login_gone"

    def __init__(self, hint: NextStep | None = None) -> None:
        super().__init__(
            "the login has ended" if hint is None else f"the login has ended: {hint.value}"
        )
        self.hint = hint


class TicketStale(LoginFault):
    """The ticket is no longer accepted."""

    code = "ticket_stale"


class AlreadyClaimed(LoginFault):
    """Another phone claimed this login."""

    code = "already_claimed"


class NotFromStation(LoginFault):
    """The login did not begin in this station's browser, or its client accepts no stations."""

    code = "not_from_station"


class WrongState(LoginFault):
    """The login expects another step: ``hint``."""

    code = "wrong_state"

    def __init__(self, hint: NextStep) -> None:
        super().__init__(f"the login is in another state: {hint.value}")
        self.hint = hint


class WrongBrowser(LoginFault):
    """Not the browser that began the login."""

    code = "wrong_browser"


class ClientFault(OidcError):
    """A client cannot be registered or changed so."""

    code = "client_fault"


class UnknownClient(ClientFault):
    """No such client."""

    code = "unknown_client"


class ClientRefused(ClientFault):
    """An option is not acceptable; ``error`` of RFC 7591 §3.2.2."""

    code = "client_refused"

    def __init__(self, reason: str, error: str = "invalid_client_metadata") -> None:
        super().__init__(reason)
        self.error = error


class RedirectUriRefused(ClientFault):
    """An unsafe URI."""

    code = "redirect_uri_refused"


class UnknownInitialToken(ClientFault):
    """No such initial access token, or revoked."""

    code = "unknown_initial_token"


class TooManyCalls(OidcError):
    """Over a client's limit per minute."""

    code = "too_many_calls"

    def __init__(self, retry_after_s: int, what: str = "requests from this client") -> None:
        super().__init__(f"too many {what}: wait a moment")
        self.retry_after_s = retry_after_s


class TooManyRegistrations(OidcError):
    """Over an initial access token's limit per hour."""

    code = "too_many_registrations"


class BearerFault(OidcError):
    """The access token is refused. RFC 6750 §3.1."""

    code = "bearer_fault"


class TokenMissing(BearerFault):
    """No access token."""

    code = "token_missing"


class BearerRequestInvalid(BearerFault):
    """More than one access token."""

    code = "invalid_request"


class TokenInvalid(BearerFault):
    """Malformed, expired, revoked or for another resource."""

    code = "invalid_token"


class ScopeInsufficient(BearerFault):
    """Without the scope ``openid``."""

    code = "insufficient_scope"


class LinkedClientGone(OidcError):
    """No active pseudonym has that handle."""

    code = "connection_gone"


class ProofRefused(OidcError):
    """An invalid or reused DPoP proof. RFC 9449 §4.3.

    Attributes:
        is_untimely: it is only too old, or from the future.
    """

    code = "invalid_dpop_proof"

    def __init__(self, message: str, *, is_untimely: bool = False) -> None:
        super().__init__(message)
        self.is_untimely = is_untimely


class NonceNeeded(ProofRefused):
    """No current nonce. RFC 9449 §8."""

    code = "use_dpop_nonce"


class AssertionRefused(OidcError):
    """An invalid or reused client assertion. RFC 7523 §3."""

    code = "assertion_refused"


class ForeignToken(OidcError):
    """Another client's token. RFC 7009 §2.1."""

    code = "foreign_token"


class LogoutRefused(OidcError):
    """A contradictory logout request: shown, never redirected."""

    code = "logout_refused"


class DeliveryFailed(OidcError):
    """A logout token was not delivered."""

    code = "delivery_failed"


class PortalFault(OidcError):
    """A fault of the developer portal."""

    code = "portal_fault"


class InvitationRefused(PortalFault):
    """Unknown, used or expired; it is not said which."""

    code = "invitation_refused"


class PalmNeeded(PortalFault):
    """A change needs a palm, or a link, of the last minutes.

    Attributes:
        returns: path of the page to return to.
        draft: the form that waits, or nothing.
    """

    def __init__(self, returns: str, draft: str) -> None:
        super().__init__("this change needs a recent palm")
        self.returns, self.draft = returns, draft


class UnknownDeveloper(PortalFault):
    """No such developer."""

    code = "unknown_developer"


class NotSignedIn(PortalFault):
    """The page needs a session."""

    code = "not_signed_in"


class FormRefused(PortalFault):
    """Not a form of this session."""

    code = "form_refused"


class OwnerNeeded(PortalFault):
    """Only the owner of the client may do this."""

    code = "owner_needed"


class SignInFailed(PortalFault):
    """The provider answered the portal unexpectedly."""

    code = "sign_in_failed"


class SandboxBreached(OidcError):
    """A real person at a sandbox client, or a scripted one at another: a fault of ours."""

    code = "sandbox_breached"


class DatabaseUnavailable(OidcError):
    """A database does not answer in time."""

    code = "temporarily_unavailable"


class DatabaseNotMigrated(OidcError):
    """The protocol database has another version, or none."""

    code = "database_not_migrated"


class SigningKeyFault(OidcError):
    """A signing key cannot be decrypted."""

    code = "key_fault"


class KeyCommandFailed(OidcError):
    """A command that should print a key failed."""

    code = "key_command_failed"


class AliasFault(OidcError):
    """The aliases of accounts are not those of these two keys."""

    code = "alias_fault"


class LimitsFault(OidcError):
    """Another user can reach the tables of limits that processes share."""

    code = "limits_fault"

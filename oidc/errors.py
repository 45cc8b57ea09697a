"""The provider's exceptions, each with a stable ``code``, its name unless it has another.

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
    ├── ClocksDiffer
    ├── DatabaseNotMigrated
    ├── SigningKeyFault
    ├── KeyCommandFailed
    ├── AliasFault
    └── LimitsFault

No message holds a ticket, code, token, secret, account or subject.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar

from oidc.types import NextStep

if TYPE_CHECKING:
    from pydantic import ValidationError


def name_code(kind: Any) -> None:  # noqa: ANN401 - a class of exceptions
    """Give a class that has no code its name as one: ``LoginGone`` has ``login_gone``."""
    if "code" not in vars(kind):
        kind.code = re.sub("(?<=.)(?=[A-Z])", "_", kind.__name__).lower()


def describe_faults(faults: ValidationError) -> str:
    """Return one line for each faulty setting, naming its variable; never its value."""
    prefix = f"THENAR_{faults.title.removesuffix('Settings').upper()}_"
    return "\n".join(
        f"{prefix}{'_'.join(map(str, fault['loc'])).upper()}: {fault['msg']}"
        for fault in faults.errors(include_input=False, include_url=False)
    )


class OidcError(Exception):
    """Any fault of the provider."""

    code: ClassVar[str] = "oidc_error"

    def __init_subclass__(cls) -> None:
        name_code(cls)


class AuthorizationFault(OidcError):
    """A refused authorization request."""


class UntrustedRequest(AuthorizationFault):
    """Unknown client or redirect URI: shown, never redirected."""


class UnregisteredRedirect(UntrustedRequest):
    """The client is registered; the redirect URI, which the message shows, is not."""

    def __init__(self, client_id: str, client_name: str, received: str) -> None:
        super().__init__(
            f"the redirect URI is not registered for this client, received: {received}"
        )
        self.client_id, self.client_name = client_id, client_name


class PushedRequestGone(UntrustedRequest):
    """The reference was used before, is late, or is another client's. RFC 9126 §4."""


class AuthorizationRefused(AuthorizationFault):
    """Redirected to the client with ``error``. RFC 6749 §4.1.2.1.

    ``description`` is ASCII without quotation mark or backslash.
    """

    code = "request_refused"

    def __init__(self, description: str, error: str = "invalid_request") -> None:
        super().__init__(f"{error}: {description}")
        self.error, self.description = error, description


class LoginFault(OidcError):
    """A login cannot do what was asked."""


class LoginGone(LoginFault):
    """Unknown, expired or finished; ``hint`` says how it ended, if the caller may know."""

    def __init__(self, hint: NextStep | None = None) -> None:
        super().__init__(
            "the login has ended" if hint is None else f"the login has ended: {hint.value}"
        )
        self.hint = hint


class TicketStale(LoginFault):
    """The ticket is no longer accepted."""


class AlreadyClaimed(LoginFault):
    """Another phone claimed this login."""


class NotFromStation(LoginFault):
    """The login did not begin in this station's browser, or its client accepts no stations."""


class WrongState(LoginFault):
    """The login expects another step: ``hint``."""

    def __init__(self, hint: NextStep) -> None:
        super().__init__(f"the login is in another state: {hint.value}")
        self.hint = hint


class WrongBrowser(LoginFault):
    """Not the browser that began the login."""


class ClientFault(OidcError):
    """A client cannot be registered or changed so."""


class UnknownClient(ClientFault):
    """No such client."""


class ClientRefused(ClientFault):
    """An option is not acceptable; ``error`` of RFC 7591 §3.2.2."""

    def __init__(self, reason: str, error: str = "invalid_client_metadata") -> None:
        super().__init__(reason)
        self.error = error


class RedirectUriRefused(ClientFault):
    """An unsafe URI."""


class UnknownInitialToken(ClientFault):
    """No such initial access token, or revoked."""


class TooManyCalls(OidcError):
    """Over a client's limit per minute."""

    def __init__(self, retry_after_s: int, what: str = "requests from this client") -> None:
        super().__init__(f"too many {what}: wait a moment")
        self.retry_after_s = retry_after_s


class TooManyRegistrations(OidcError):
    """Over an initial access token's limit per hour."""


class BearerFault(OidcError):
    """The access token is refused. RFC 6750 §3.1."""


class TokenMissing(BearerFault):
    """No access token."""


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


class ForeignToken(OidcError):
    """Another client's token. RFC 7009 §2.1."""


class LogoutRefused(OidcError):
    """A contradictory logout request: shown, never redirected."""


class DeliveryFailed(OidcError):
    """A logout token was not delivered."""


class PortalFault(OidcError):
    """A fault of the developer portal."""


class InvitationRefused(PortalFault):
    """Unknown, used or expired; it is not said which."""


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


class NotSignedIn(PortalFault):
    """The page needs a session."""


class FormRefused(PortalFault):
    """Not a form of this session."""


class OwnerNeeded(PortalFault):
    """Only the owner of the client may do this."""


class SignInFailed(PortalFault):
    """The provider answered the portal unexpectedly."""


class SandboxBreached(OidcError):
    """A real person at a sandbox client, or a scripted one at another: a fault of ours."""


class DatabaseUnavailable(OidcError):
    """A database does not answer in time."""

    code = "temporarily_unavailable"


class ClocksDiffer(OidcError):
    """This machine's clock and the database's differ: one of them is wrong."""


class DatabaseNotMigrated(OidcError):
    """The protocol database has another version, or none."""


class SigningKeyFault(OidcError):
    """A signing key cannot be decrypted."""

    code = "key_fault"


class KeyCommandFailed(OidcError):
    """A command that should print a key failed."""


class AliasFault(OidcError):
    """The aliases of accounts are not those of these two keys."""


class LimitsFault(OidcError):
    """Another user can reach the tables of limits that processes share."""

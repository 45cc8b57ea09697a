"""Every fault the provider raises.

::

    OidcError
    ├── AuthorizationFault         an authorization request was refused
    │   ├── UntrustedRequest       client or redirect URI unknown: shown, never redirected
    │   └── RequestRefused         told to the client by a redirect; carries ``error``
    ├── LoginFault                 a login cannot do what was asked
    │   ├── LoginGone              unknown, expired or finished; may carry a ``Hint``
    │   ├── AlreadyClaimed         another phone holds it
    │   ├── WrongState             it is not the moment for this step
    │   └── WrongBrowser           the cookie of the browser that began is missing
    ├── ClientFault                a client cannot be registered or changed like this
    │   ├── UnknownClient          no client has this identifier
    │   ├── ClientRefused          its name or scope is not acceptable
    │   └── RedirectUriRefused     a redirect URI that could not be kept safe
    ├── BearerFault                a protected resource refused the access token (RFC 6750 §3.1)
    │   ├── TokenMissing           none was sent
    │   ├── BearerRequestInvalid   sent twice, or in two ways
    │   ├── TokenInvalid           malformed, expired, revoked or not for this resource
    │   └── ScopeInsufficient      valid, but without the scope ``openid``
    ├── AssertionRefused           a client assertion proves nothing (RFC 7523 §3)
    ├── ForeignToken               a token of another client (RFC 7009 §2.1)
    ├── DatabaseNotMigrated        the protocol database is empty or of another version
    └── KeyFault                   a signing key cannot be read or opened

Each class has a stable ``code``. No message holds a ticket, a code, a token, a secret, an
account or a subject.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from oidc.types import Hint


class OidcError(Exception):
    """Any fault of the provider."""

    code: ClassVar[str] = "oidc_error"


class AuthorizationFault(OidcError):
    """An authorization request was refused."""

    code = "authorization_fault"


class UntrustedRequest(AuthorizationFault):
    """The client or its redirect URI is not registered: tell nobody but the browser."""

    code = "untrusted_request"


class RequestRefused(AuthorizationFault):
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

    def __init__(self, hint: Hint | None = None) -> None:
        super().__init__(
            "the login is over" if hint is None else f"the login is over: {hint.value}"
        )
        self.hint = hint


class AlreadyClaimed(LoginFault):
    """Another phone holds this login."""

    code = "already_claimed"


class WrongState(LoginFault):
    """It is not the moment for this step.

    Args:
        hint: what is expected instead.
    """

    code = "wrong_state"

    def __init__(self, hint: Hint) -> None:
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


class AssertionRefused(OidcError):
    """A client assertion proves nothing: forged, stale, for another server, or used before."""

    code = "assertion_refused"


class ForeignToken(OidcError):
    """The token was issued to another client."""

    code = "foreign_token"


class DatabaseNotMigrated(OidcError):
    """The protocol database is empty or of another version."""

    code = "database_not_migrated"


class KeyFault(OidcError):
    """A signing key cannot be read: the key encryption key is missing or another one."""

    code = "key_fault"

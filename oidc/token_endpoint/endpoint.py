"""The token endpoint: a raw request in, a response out. No web framework.

It blocks. Writes share commits, and tokens are signed after them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from authlib.oauth2.rfc6749 import AuthorizationServer, OAuth2Error

from oidc.storage.group_commit import GroupCommit
from oidc.token_endpoint.authentication import ClientAdapter
from oidc.token_endpoint.grants import CodeGrant, RotatingRefreshGrant
from oidc.token_endpoint.pkce import S256Only
from oidc.token_endpoint.requests import EndpointResponse, read_request

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oidc.storage.database import Database
    from oidc.storage.transactions import Stores
    from oidc.token_endpoint.authentication import ClientAuthenticator
    from oidc.token_endpoint.dpop_binding import DpopBinding
    from oidc.token_endpoint.grants import AuthlibResponse
    from oidc.token_endpoint.issuing import Issuer
    from oidc.token_endpoint.requests import RawRequest, TokenRequest
    from oidc.types import Clock


class _Server(AuthorizationServer):  # type: ignore[misc]
    """Authlib's server without a web framework."""

    def __init__(
        self,
        database: Database,
        issuer: Issuer,
        authenticator: ClientAuthenticator,
        dpop_binding: DpopBinding,
    ) -> None:
        super().__init__()
        self.database, self.group_commit = database, GroupCommit(database)
        self.authenticator = authenticator
        self.dpop_binding = dpop_binding
        self.issuer = issuer
        self.clock: Clock = issuer.clock
        self.register_grant(CodeGrant, [S256Only()])
        self.register_grant(RotatingRefreshGrant)

    def create_oauth2_request(self, request: TokenRequest) -> TokenRequest:
        """Return the request unchanged."""
        return request

    def authenticate_client(
        self, request: TokenRequest, methods: Sequence[str], endpoint: str = "token"
    ) -> ClientAdapter:
        """Return the authenticated client, or refuse with 401."""
        return ClientAdapter(
            self.authenticator.authenticate(
                request.form, request.authorization, request.address
            )
        )

    def send_signal(self, name: str, *args: object, **kwargs: object) -> None:
        """Send no signals."""

    def handle_response(
        self, status: int, body: dict[str, Any], headers: list[tuple[str, str]]
    ) -> EndpointResponse:
        """Return a value."""
        return EndpointResponse(status, body, dict(headers))


class TokenGrant(Protocol):
    """A grant in three parts: checked, spent in one write unit, signed.

    Attributes:
        revoke_replayed: what to write instead, if its credential was used before.
        fault: what to answer then.
    """

    revoke_replayed: Callable[[Stores], object] | None
    fault: OAuth2Error | None

    def validate_token_request(self) -> None:
        """Check the request. Raises ``OAuth2Error``."""

    def redeem(self, stores: Stores) -> object:
        """Spend the credential."""

    def response(self, redeemed: Any) -> AuthlibResponse:  # noqa: ANN401 - what redeem gave
        """Sign. Raises ``OAuth2Error``: another request was faster."""
        ...


class TokenEndpoint:
    """Serves token requests. RFC 6749 §3.2, OpenID Connect Core §3.1.3."""

    def __init__(
        self,
        database: Database,
        issuer: Issuer,
        authenticator: ClientAuthenticator,
        dpop_binding: DpopBinding,
        *,
        uri: str,
    ) -> None:
        self._server = _Server(database, issuer, authenticator, dpop_binding)
        self._uri = uri

    def respond(self, raw: RawRequest) -> EndpointResponse:
        """Return tokens, or an error of RFC 6749 §5.2. Blocking."""
        begun = self.begin(raw)
        if isinstance(begun, EndpointResponse):
            return begun
        return self.end(begun, self.redeem(begun))

    def begin(self, raw: RawRequest) -> TokenGrant | EndpointResponse:
        """Check a request. Writes only what a proof of possession or an assertion needs."""
        grant: TokenGrant | None = None
        try:
            grant = self._server.get_token_grant(read_request(raw, self._uri))
            grant.validate_token_request()
        except OAuth2Error as fault:
            if grant is None or grant.revoke_replayed is None:
                return self._server.handle_response(*fault())
            grant.fault = fault
        return grant

    def redeem(self, grant: TokenGrant) -> object:
        """Spend the credential, or revoke the grant of one that was replayed. Blocking."""
        return self._server.group_commit.write(grant.revoke_replayed or grant.redeem)

    def end(self, grant: TokenGrant, redeemed: object) -> EndpointResponse:
        """Sign the tokens."""
        try:
            if grant.fault is not None:
                raise grant.fault
            return self._server.handle_response(*grant.response(redeemed))
        except OAuth2Error as fault:
            return self._server.handle_response(*fault())

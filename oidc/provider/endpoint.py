"""The token endpoint: a raw request in, an answer out. No web framework."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from authlib.oauth2.rfc6749 import AuthorizationServer, OAuth2Error

from oidc.provider.authentication import ClientAdapter
from oidc.provider.grants import CodeGrant, RotatingRefreshGrant, S256Only
from oidc.provider.requests import Answer, read_request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oidc.provider.authentication import ClientAuthenticator
    from oidc.provider.issuing import Issuer
    from oidc.provider.possession import Possession
    from oidc.provider.requests import RawRequest, TokenRequest
    from oidc.storage.transactions import Transactions
    from oidc.types import Clock


class _Server(AuthorizationServer):  # type: ignore[misc]
    """Authlib's server without a web framework: requests and answers are values."""

    def __init__(
        self,
        transactions: Transactions,
        issuer: Issuer,
        authenticator: ClientAuthenticator,
        possession: Possession,
    ) -> None:
        super().__init__()
        self.transactions = transactions
        self.authenticator = authenticator
        self.possession = possession
        self.issuer = issuer
        self.clock: Clock = issuer.clock
        self.register_grant(CodeGrant, [S256Only()])
        self.register_grant(RotatingRefreshGrant)

    def create_oauth2_request(self, request: TokenRequest) -> TokenRequest:
        """Requests come ready-made."""
        return request

    def authenticate_client(
        self, request: TokenRequest, methods: Sequence[str], endpoint: str = "token"
    ) -> ClientAdapter:
        """Return the client that proved itself, or refuse with 401."""
        return ClientAdapter(
            self.authenticator.authenticate(request.form, request.authorization)
        )

    def send_signal(self, name: str, *args: object, **kwargs: object) -> None:
        """Nobody listens."""

    def handle_response(
        self, status: int, body: dict[str, Any], headers: list[tuple[str, str]]
    ) -> Answer:
        """Return the answer as a value."""
        return Answer(status, body, dict(headers))


class TokenEndpoint:
    """Answers token requests. Blocking. RFC 6749 §3.2, OpenID Connect Core §3.1.3."""

    def __init__(
        self,
        transactions: Transactions,
        issuer: Issuer,
        authenticator: ClientAuthenticator,
        possession: Possession,
        *,
        uri: str,
    ) -> None:
        self._server = _Server(transactions, issuer, authenticator, possession)
        self._uri = uri

    def respond(self, raw: RawRequest) -> Answer:
        """Return tokens, or an error of RFC 6749 §5.2."""
        try:
            request = read_request(raw, self._uri)
        except OAuth2Error as fault:
            return self._server.handle_response(*fault())
        answer: Answer = self._server.create_token_response(request)
        return answer

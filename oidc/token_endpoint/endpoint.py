"""The token endpoint: a raw request in, a response out. No web framework.

Tokens are signed after what they cost is committed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from authlib.oauth2.rfc6749 import AuthorizationServer, OAuth2Error

from oidc.storage.database import Database
from oidc.storage.group_commit import GroupCommit
from oidc.token_endpoint.authentication import ClientAdapter, ClientAuthenticator
from oidc.token_endpoint.dpop_binding import DpopBinding
from oidc.token_endpoint.grants import CodeGrant, RotatingRefreshGrant
from oidc.token_endpoint.issuing import Issuer
from oidc.token_endpoint.pkce import S256Only
from oidc.token_endpoint.requests import (
    EndpointResponse,
    RawRequest,
    TokenRequest,
    read_request,
)

TokenGrant = CodeGrant | RotatingRefreshGrant
"""A grant in three parts: checked, spent in one write unit, signed."""


class TokenEndpoint(AuthorizationServer):  # type: ignore[misc]
    """Serves token requests, as Authlib's server. RFC 6749 §3.2, OpenID Connect Core §3.1.3."""

    def __init__(
        self,
        database: Database,
        issuer: Issuer,
        authenticator: ClientAuthenticator,
        dpop_binding: DpopBinding,
        *,
        uri: str,
    ) -> None:
        super().__init__()
        self.database, self.issuer, self.authenticator = database, issuer, authenticator
        self.dpop_binding, self.clock = dpop_binding, issuer.clock
        self._uri, self._group_commit = uri, GroupCommit(database)
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
        """Return what the service answers."""
        return EndpointResponse(status, body, dict(headers))

    def respond(self, raw: RawRequest) -> EndpointResponse:
        """Return tokens, or an error of RFC 6749 §5.2. Blocking."""
        # What writes before holds no other connection meanwhile.
        begun = self.begin(raw) if raw.proves else None
        with self.database.unit() as stores:
            begun = begun or self.begin(raw)
            if isinstance(begun, EndpointResponse):
                return begun
            redeemed = (begun.revoke_replayed or begun.redeem)(stores)
        return self._end(begun, redeemed)

    def begin(self, raw: RawRequest) -> TokenGrant | EndpointResponse:
        """Check a request. Writes only what a proof of possession or an assertion needs."""
        grant: TokenGrant | None = None
        try:
            grant = self.get_token_grant(read_request(raw, self._uri))
            grant.validate_token_request()
        except OAuth2Error as fault:
            if grant is None or grant.revoke_replayed is None:
                return self.handle_response(*fault())
            grant.fault = fault
        return grant

    async def finish(self, grant: TokenGrant) -> EndpointResponse:
        """Spend the credential in a commit that requests share, then sign."""
        spend = grant.revoke_replayed or grant.redeem
        return self._end(grant, await self._group_commit.write(spend))

    def _end(self, grant: TokenGrant, redeemed: Any) -> EndpointResponse:  # noqa: ANN401 - what redeem gave
        try:
            if grant.fault is not None:
                raise grant.fault
            return self.handle_response(*grant.response(redeemed))
        except OAuth2Error as fault:
            return self.handle_response(*fault())

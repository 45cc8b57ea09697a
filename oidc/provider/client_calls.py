"""The endpoints where an authenticated client asks for something about a token.

Revocation (RFC 7009) and introspection (RFC 7662). Forms are read as strictly, and clients
proved in the same ways, as at the token endpoint.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from authlib.oauth2.rfc6749 import InvalidGrantError, InvalidRequestError, OAuth2Error

from oidc.errors import ForeignToken
from oidc.provider.credentials import ClientNotAuthenticated
from oidc.provider.requests import Answer, read_fields
from oidc.types import Authentication

if TYPE_CHECKING:
    from collections.abc import Callable

    from oidc.provider.authentication import ClientAuthenticator
    from oidc.provider.requests import RawRequest
    from oidc.token_status import TokenStatus
    from oidc.types import Client


@dataclass(frozen=True, slots=True)
class ClientCalls:
    """Answers clients that hold a token. Blocking.

    Attributes:
        authenticator: finds out who calls.
        status: ends tokens and tells about them.
    """

    authenticator: ClientAuthenticator
    status: TokenStatus

    def revoke(self, raw: RawRequest) -> Answer:
        """End a token: 200, also for one that is dead or was never ours. RFC 7009 §2.2."""
        return self._answer(raw, self._revoked)

    def introspect(self, raw: RawRequest) -> Answer:
        """Tell about a token. Whoever proves nothing is told nothing. RFC 7662 §2.1."""
        return self._answer(raw, self._introspected)

    def _answer(
        self, raw: RawRequest, act: Callable[[Client, str], dict[str, object]]
    ) -> Answer:
        try:
            fields = read_fields(raw)
            client = self.authenticator.authenticate(fields, raw.authorization)
            if "token" not in fields:
                raise InvalidRequestError("token is missing")
            return Answer(200, act(client, fields["token"]), {})
        except OAuth2Error as fault:
            status, body, headers = fault()
            return Answer(status, body, dict(headers))

    def _revoked(self, client: Client, token: str) -> dict[str, object]:
        try:
            self.status.revoke(client, token)
        except ForeignToken as fault:
            raise InvalidGrantError(str(fault)) from fault
        return {}

    def _introspected(self, client: Client, token: str) -> dict[str, object]:
        if client.authentication is Authentication.NONE:
            raise ClientNotAuthenticated
        return self.status.introspect(client, token)

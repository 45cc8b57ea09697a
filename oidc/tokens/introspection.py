"""Token revocation (RFC 7009) and introspection (RFC 7662).

Revoking a token ends its grant with all its tokens.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from oidc.errors import ForeignToken, TokenInvalid
from oidc.protocol.acr import is_scripted
from oidc.protocol.identifiers import digest_of
from oidc.storage.database import Database
from oidc.tokens.access import AccessTokens
from oidc.tokens.claims import token_type
from oidc.types import Client, ClientId, Clock, Grant, GrantId

_INACTIVE: Final[dict[str, object]] = {"active": False}
"""The same for unknown, expired, revoked and foreign tokens. RFC 7662 §2.2."""

_INTROSPECTED_CLAIMS: Final = (
    "iss",
    "sub",
    "aud",
    "client_id",
    "scope",
    "jti",
    "iat",
    "nbf",
    "exp",
)


@dataclass(frozen=True, slots=True)
class Introspection:
    """Revokes and introspects tokens. Blocking."""

    database: Database
    access_tokens: AccessTokens
    clock: Clock
    issuer: str

    def revoke(self, client: Client, token: str) -> None:
        """End the token's grant. Raises ``ForeignToken`` (RFC 7009 §2.1)."""
        found = self._owner(token)
        if found is None:
            return
        owner, grant_id = found
        if owner != client.client_id:
            raise ForeignToken("the token was issued to another client")
        with self.database.write() as stores:
            stores.grants.revoke(grant_id, self.clock())

    def introspect(self, client: Client, token: str) -> dict[str, object]:
        """Return whether the token is active. RFC 7662 §2.2, §4.

        Resource servers learn about access tokens only.
        """
        if _is_jwt(token):
            return self._about_access_token(client, token)
        return self._about_refresh_token(client, token)

    def _about_access_token(self, client: Client, token: str) -> dict[str, object]:
        try:
            active = self.access_tokens.require_active(token)
        except TokenInvalid:
            return _INACTIVE
        if not _may_see(client, active.grant):
            return _INACTIVE
        response = {name: active.claims[name] for name in _INTROSPECTED_CLAIMS}
        bound = {} if active.dpop_jkt is None else {"cnf": active.claims["cnf"]}
        return {"active": True, "token_type": token_type(active.dpop_jkt), **response, **bound}

    def _about_refresh_token(self, client: Client, token: str) -> dict[str, object]:
        with self.database.read() as stores:
            stored = stores.tokens.find(digest_of(token))
            grant = None if stored is None else stores.grants.find(stored.grant_id)
        if stored is None or grant is None or grant.client_id != client.client_id:
            return _INACTIVE
        if stored.spent or stored.expires_at <= self.clock():
            return _INACTIVE
        return {
            "active": True,
            "iss": self.issuer,
            "sub": grant.subject,
            "client_id": grant.client_id,
            "scope": " ".join(grant.scope),
            "exp": int(stored.expires_at.timestamp()),
        }

    def _owner(self, token: str) -> tuple[ClientId, GrantId] | None:
        if _is_jwt(token):
            try:
                grant = self.access_tokens.require_active(token).grant
            except TokenInvalid:
                return None
            return grant.client_id, grant.grant_id
        with self.database.read() as stores:
            stored = stores.tokens.find(digest_of(token))
        return None if stored is None else (stored.client_id, stored.grant_id)


def _may_see(client: Client, grant: Grant) -> bool:
    """Resource servers of the sandbox see scripted people only, all others real ones only."""
    is_theirs = client.resource_server and client.sandbox is is_scripted(grant.level)
    return is_theirs or grant.client_id == client.client_id


def _is_jwt(token: str) -> bool:
    """Return whether it is an access token; refresh tokens have no dot."""
    return "." in token

"""Checks access tokens: signature, type, issuer, audience, time, then the grant.

Revoking the grant or deleting the pseudonym ends the token at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from oidc.errors import TokenInvalid
from oidc.keys.keyring import KeyRing
from oidc.protocol.acr import audience_of
from oidc.protocol.identifiers import is_identifier
from oidc.storage.database import Database
from oidc.types import Clock, Grant, GrantId


@dataclass(frozen=True, slots=True)
class ActiveToken:
    """A valid access token and its grant."""

    claims: dict[str, Any] = field(repr=False)
    grant: Grant

    @property
    def scope(self) -> list[str]:
        """The token's scope, possibly less than the grant's."""
        return str(self.claims.get("scope", "")).split()

    @property
    def dpop_jkt(self) -> str | None:
        """Thumbprint of the key it is bound to (RFC 9449 §6.1), or None."""
        confirmation = self.claims.get("cnf")
        return str(confirmation.get("jkt")) if isinstance(confirmation, dict) else None


@dataclass(frozen=True, slots=True)
class AccessTokens:
    """Checks access tokens with ``audience``. Blocking."""

    database: Database
    keys: KeyRing
    clock: Clock
    issuer: str
    audience: str

    def require_active(self, access_token: str) -> ActiveToken:
        """Return the token's content. Raises ``TokenInvalid``."""
        claims = self.keys.verify(access_token, typ="at+jwt")
        if claims.get("iss") != self.issuer:
            raise TokenInvalid("the token is of another issuer")
        if not claims.get("nbf", 0) <= self.clock().timestamp() < claims.get("exp", 0):
            raise TokenInvalid("the token has expired")
        grant = self._active_grant(str(claims.get("grant_id", "")))
        if claims.get("aud") != audience_of(self.audience, grant.level):
            raise TokenInvalid("the token is for another resource")
        return ActiveToken(claims, grant)

    def _active_grant(self, grant_id: str) -> Grant:
        with self.database.read() as stores:
            grant = stores.grants.find(GrantId(grant_id)) if is_identifier(grant_id) else None
        if grant is None:
            raise TokenInvalid("the token was revoked")
        return grant

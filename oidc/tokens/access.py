"""Access tokens: checked, and the userinfo endpoint that they open.

Revoking the grant or deleting the pseudonym ends a token at once. Userinfo returns ``sub`` only
(OpenID Connect Core §5.3) for one token, sent one way (RFC 6750); a bound one needs a proof
(RFC 9449 §7).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from oidc.errors import (
    BearerRequestInvalid,
    ProofRefused,
    ScopeInsufficient,
    TokenInvalid,
    TokenMissing,
)
from oidc.keys.signing_keys import SigningKeys
from oidc.protocol.acr import audience_of
from oidc.protocol.identifiers import is_identifier
from oidc.storage.database import Database
from oidc.tokens.dpop import DpopProofs
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
    keys: SigningKeys
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


class Scheme(StrEnum):
    """How an access token was sent."""

    BEARER = "Bearer"
    DPOP = "DPoP"


@dataclass(frozen=True, slots=True)
class PresentedAccessToken:
    """The access token of a request."""

    scheme: Scheme
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class ProtectedResource:
    """A resource at ``uris``. Blocking."""

    access_tokens: AccessTokens
    proofs: DpopProofs
    uris: frozenset[str]

    def authorize(
        self, shown: PresentedAccessToken, method: str, proofs: Sequence[str]
    ) -> ActiveToken:
        """Return the token's content. Raises ``TokenInvalid``, ``ProofRefused``."""
        active = self.access_tokens.require_active(shown.token)
        if shown.scheme is Scheme.BEARER:
            if active.dpop_jkt is not None:
                raise TokenInvalid("the token is bound to a key: use the scheme DPoP")
            return active
        proof = self.proofs.verify(proofs, method, self.uris, shown.token)
        if proof is None:
            raise ProofRefused("the scheme DPoP needs a DPoP proof")
        with self.access_tokens.database.write() as stores:
            proved = self.proofs.use(stores, proof)
        if active.dpop_jkt != proved:
            raise TokenInvalid("the token is not bound to the key of the proof")
        return active


def userinfo_claims(active: ActiveToken) -> dict[str, str]:
    """Return the claims about the person. Raises ``ScopeInsufficient``."""
    if "openid" not in active.scope:
        raise ScopeInsufficient("the token lacks the scope openid")
    return {"sub": active.grant.subject}


def presented_access_token(
    authorization: str | None, form_token: list[str]
) -> PresentedAccessToken:
    """Return the access token, from header or form, never both. RFC 6750 §2.

    Raises ``TokenMissing``, ``BearerRequestInvalid``.
    """
    scheme, _, credentials = (authorization or "").strip().partition(" ")
    found = [
        PresentedAccessToken(known, credentials.strip())
        for known in Scheme
        if scheme.lower() == known.lower()
    ]
    found += [PresentedAccessToken(Scheme.BEARER, token) for token in form_token]
    if len(found) > 1:
        raise BearerRequestInvalid("the access token was sent more than once")
    if not found or not found[0].token:
        raise TokenMissing("an access token is needed")
    return found[0]

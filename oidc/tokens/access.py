"""Access tokens: checked, revoked (RFC 7009), introspected (RFC 7662), and userinfo.

Revoking a token ends its grant with all its tokens. Revoking the grant or deleting the
pseudonym ends a token at once. Userinfo returns ``sub`` only (OpenID Connect Core §5.3) for
one token, sent one way (RFC 6750); a bound one needs a proof (RFC 9449 §7), each valid once.
"""

import base64
import hmac
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final

from oidc.client import Client
from oidc.errors import (
    BearerRequestInvalid,
    ForeignToken,
    NonceNeeded,
    ProofRefused,
    ScopeInsufficient,
    TokenInvalid,
    TokenMissing,
)
from oidc.keys import SigningKeys
from oidc.plumbing.dpop import AHEAD, WINDOW, ProvedRequest, SignedProof, verify_proof
from oidc.protocol import audience_of, digest_of, is_identifier, is_scripted
from oidc.storage.database import Database, Stores
from oidc.tokens.claims import token_type
from oidc.types import CLOCKS_APART, ClientId, Clock, Grant, GrantId

_NONCE_WINDOW_S: Final = 300
"""The nonce before stays valid as long again."""


class DpopNonces:
    """Nonces without a table: every process derives the same. RFC 9449 §8."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def current(self, now: datetime) -> str:
        """Return the current nonce."""
        return self._of(int(now.timestamp()) // _NONCE_WINDOW_S)

    def is_good(self, nonce: object, now: datetime) -> bool:
        """Return whether this is the current nonce or the one before."""
        if not isinstance(nonce, str):
            return False
        window = int(now.timestamp()) // _NONCE_WINDOW_S
        presented = nonce.encode("utf-8", "surrogatepass")
        good = [
            hmac.compare_digest(presented, self._of(n).encode()) for n in (window, window - 1)
        ]
        return any(good)

    def _of(self, window: int) -> str:
        mac = hmac.digest(self._key, window.to_bytes(8, "big"), "sha256")
        return base64.urlsafe_b64encode(mac[:18]).decode("ascii")


@dataclass(frozen=True, slots=True)
class DpopProofs:
    """Checks proofs, each accepted once."""

    clock: Clock
    nonces: DpopNonces
    need_nonce: bool

    def verify(
        self,
        headers: Sequence[str],
        method: str,
        uris: frozenset[str],
        access_token: str | None = None,
    ) -> SignedProof | None:
        """Return the proof, to be noted by ``use``; None without one.

        ``headers`` are all values of the DPoP header. Raises ``ProofRefused``, ``NonceNeeded``.
        """
        if not headers:
            return None
        now = self.clock()
        proof = verify_proof(headers, ProvedRequest(method, uris, now, access_token))
        self._check_nonce(proof.claims.get("nonce"), now)
        return proof

    def use(self, stores: Stores, proof: SignedProof) -> str:
        """Note a proof as used; return its key's thumbprint (RFC 7638).

        Raises ``ProofRefused`` for one that was used before.
        """
        thumbprint = proof.key.thumbprint()
        digest = digest_of(f"dpop\n{thumbprint}\n{proof.claims['jti']}")
        # As long as iat could still be accepted.
        until = datetime.fromtimestamp(proof.claims["iat"], UTC) + WINDOW + AHEAD
        if not stores.replay.use(digest, max(until, self.clock())):
            raise ProofRefused("the proof was used before")
        return thumbprint

    def next_nonce(self) -> str | None:
        """Return what the next proof must carry, or None."""
        return self.nonces.current(self.clock()) if self.need_nonce else None

    def _check_nonce(self, nonce: object, now: datetime) -> None:
        if self.need_nonce and not self.nonces.is_good(nonce, now):
            raise NonceNeeded("the proof must carry a nonce of this server")


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

    def require_active(self, access_token: str, within: Stores | None = None) -> ActiveToken:
        """Return the token's content; ``within`` a transaction. Raises ``TokenInvalid``."""
        claims = self.keys.verify(access_token, typ="at+jwt")
        if claims.get("iss") != self.issuer:
            raise TokenInvalid("the token is of another issuer")
        now, early_s = self.clock().timestamp(), 2 * CLOCKS_APART.total_seconds()
        if not claims.get("nbf", 0) - early_s <= now < claims.get("exp", 0):
            raise TokenInvalid("the token has expired")
        grant_id = str(claims.get("grant_id", ""))
        with self.database.read() if within is None else nullcontext(within) as stores:
            grant = stores.grants.find(GrantId(grant_id)) if is_identifier(grant_id) else None
        if grant is None:
            raise TokenInvalid("the token was revoked")
        if claims.get("aud") != audience_of(self.audience, grant.level):
            raise TokenInvalid("the token is for another resource")
        return ActiveToken(claims, grant)


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


_INACTIVE: Final[dict[str, object]] = {"active": False}
"""The same for unknown, expired, revoked and foreign tokens. RFC 7662 §2.2."""

_SHOWN: Final = ("iss", "sub", "aud", "client_id", "scope", "jti", "iat", "nbf", "exp")
"""Claims of an access token that introspection shows."""


@dataclass(frozen=True, slots=True)
class Introspection:
    """Revokes and introspects tokens, in the caller's transaction."""

    access_tokens: AccessTokens
    clock: Clock
    issuer: str

    def revoke(self, stores: Stores, client: Client, token: str) -> None:
        """End the token's grant. Raises ``ForeignToken`` (RFC 7009 §2.1)."""
        found = self._owner(stores, token)
        if found is None:
            return
        owner, grant_id = found
        if owner != client.client_id:
            raise ForeignToken("the token was issued to another client")
        stores.grants.revoke(grant_id, self.clock())

    def introspect(self, stores: Stores, client: Client, token: str) -> dict[str, object]:
        """Return whether the token is active. RFC 7662 §2.2, §4.

        Resource servers learn about access tokens only.
        """
        if _is_jwt(token):
            return self._about_access(stores, client, token)
        return self._about_refresh(stores, client, token)

    def _about_access(self, stores: Stores, client: Client, token: str) -> dict[str, object]:
        try:
            active = self.access_tokens.require_active(token, stores)
        except TokenInvalid:
            return _INACTIVE
        if not _may_see(client, active.grant):
            return _INACTIVE
        response = {name: active.claims[name] for name in _SHOWN}
        bound = {} if active.dpop_jkt is None else {"cnf": active.claims["cnf"]}
        return {"active": True, "token_type": token_type(active.dpop_jkt), **response, **bound}

    def _about_refresh(self, stores: Stores, client: Client, token: str) -> dict[str, object]:
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

    def _owner(self, stores: Stores, token: str) -> tuple[ClientId, GrantId] | None:
        if _is_jwt(token):
            try:
                grant = self.access_tokens.require_active(token, stores).grant
            except TokenInvalid:
                return None
            return grant.client_id, grant.grant_id
        stored = stores.tokens.find(digest_of(token))
        return None if stored is None else (stored.client_id, stored.grant_id)


def _may_see(client: Client, grant: Grant) -> bool:
    """Resource servers of the sandbox see scripted people only, all others real ones only."""
    is_theirs = client.resource_server and client.sandbox is is_scripted(grant.level)
    return is_theirs or grant.client_id == client.client_id


def _is_jwt(token: str) -> bool:
    """Return whether it is an access token; refresh tokens have no dot."""
    return "." in token

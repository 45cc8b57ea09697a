"""The userinfo endpoint: says the subject and nothing else. OpenID Connect Core §5.3, RFC 6750.

A token is judged here by its signature, type, issuer, audience, time and scope, and then by the
store: a token whose grant was revoked, or whose pseudonym was withdrawn, is dead at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oidc.errors import BearerRequestInvalid, ScopeInsufficient, TokenInvalid, TokenMissing
from oidc.secrets import is_identifier
from oidc.types import GrantId

if TYPE_CHECKING:
    from datetime import datetime

    from oidc.keys import KeyRing
    from oidc.storage.transactions import Transactions
    from oidc.types import Clock


class Userinfo:
    """Answers who an access token is about."""

    def __init__(
        self,
        transactions: Transactions,
        keys: KeyRing,
        clock: Clock,
        *,
        issuer: str,
        audience: str,
    ) -> None:
        self._transactions = transactions
        self._keys = keys
        self._clock = clock
        self._issuer = issuer
        self._audience = audience

    def claims_for(self, access_token: str) -> dict[str, str]:
        """Return the claims about the person, ``sub`` only.

        Raises:
            TokenInvalid: malformed, expired, revoked, or not for this endpoint.
            ScopeInsufficient: without the scope ``openid``.
        """
        claims = self._keys.verify(access_token, typ="at+jwt")
        self._require_meant_for_us(claims, self._clock())
        if "openid" not in str(claims.get("scope", "")).split():
            raise ScopeInsufficient("the token lacks the scope openid")
        return {"sub": self._living_subject(claims)}

    def _require_meant_for_us(self, claims: dict[str, Any], now: datetime) -> None:
        if claims.get("iss") != self._issuer or claims.get("aud") != self._audience:
            raise TokenInvalid("the token is for another resource")
        if not claims.get("nbf", 0) <= now.timestamp() < claims.get("exp", 0):
            raise TokenInvalid("the token has expired")

    def _living_subject(self, claims: dict[str, Any]) -> str:
        grant_id = str(claims.get("grant_id", ""))
        with self._transactions.read() as stores:
            grant = stores.grants.find(GrantId(grant_id)) if is_identifier(grant_id) else None
        if grant is None:
            raise TokenInvalid("the token was revoked")
        return grant.subject


def bearer_token(authorization: str | None, form_token: list[str]) -> str:
    """Return the access token of a request: from the header or from the form, never both.

    Args:
        authorization: value of the header, or None.
        form_token: every ``access_token`` of a form body.

    Raises:
        TokenMissing: there is none.
        BearerRequestInvalid: there are two. RFC 6750 §2.
    """
    scheme, _, credentials = (authorization or "").strip().partition(" ")
    found = [credentials.strip()] if scheme.lower() == "bearer" else []
    found += form_token
    if len(found) > 1:
        raise BearerRequestInvalid("the access token was sent more than once")
    if not found or not found[0]:
        raise TokenMissing("an access token is needed")
    return found[0]

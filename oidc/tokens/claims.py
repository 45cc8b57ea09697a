"""The claims of access tokens (RFC 9068) and ID tokens, made from a grant.

An ``id_token_hint`` is an ID token of ours, possibly expired, that names a person (OpenID
Connect Core §3.1.2.1, RP-Initiated Logout 1.0 §2). It does not prove who uses the browser.
"""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from oidc.errors import TokenInvalid
from oidc.keys import SigningKeys
from oidc.protocol import acr_of, amr_of, new_secret
from oidc.types import ClientId, Grant, PairwiseSubject, Sid


@dataclass(frozen=True, slots=True)
class Validity:
    """When a token is valid; ``issued_at`` is aware, UTC."""

    issued_at: datetime
    lifetime_s: int

    def claims(self) -> dict[str, object]:
        """Return ``iat``, ``nbf`` and ``exp``. RFC 7519 §4.1."""
        issued = int(self.issued_at.timestamp())
        return {"iat": issued, "nbf": issued, "exp": issued + self.lifetime_s}


def access_token_claims(
    grant: Grant,
    scope: Sequence[str],
    *,
    issuer: str,
    audience: str,
    dpop_jkt: str | None,
    valid: Validity,
) -> dict[str, object]:
    """Return the claims of an access token. RFC 9068 §2.2, RFC 9449 §6.1."""
    confirmation = {} if dpop_jkt is None else {"cnf": {"jkt": dpop_jkt}}
    return {
        "iss": issuer,
        "sub": grant.subject,
        "aud": audience,
        "client_id": grant.client_id,
        "scope": " ".join(scope),
        "jti": new_secret(),
        "grant_id": grant.grant_id,
        **confirmation,
        **valid.claims(),
    }


def token_type(dpop_jkt: str | None) -> str:
    """Return how an access token is to be used. RFC 6750 §4, RFC 9449 §5."""
    return "Bearer" if dpop_jkt is None else "DPoP"


def id_token_claims(
    grant: Grant,
    *,
    issuer: str,
    access_token: str,
    nonce: str | None,
    external_user_id: bool,
    valid: Validity,
) -> dict[str, object]:
    """Return the claims of an ID token. OpenID Connect Core §2, §3.1.3.6.

    ``nonce`` is None at a refresh (§12.2). ``external_user_id`` repeats ``sub`` (specification
    §1).
    """
    claims: dict[str, object] = {
        "iss": issuer,
        "sub": grant.subject,
        "aud": grant.client_id,
        "auth_time": int(grant.auth_time.timestamp()),
        "acr": acr_of(issuer, grant.level),
        "amr": list(amr_of(grant.level)),
        "at_hash": at_hash(access_token),
        "jti": new_secret(),
        **valid.claims(),
    }
    if nonce is not None:
        claims["nonce"] = nonce
    if grant.sid is not None:
        claims["sid"] = grant.sid
    if external_user_id:
        claims["external_user_id"] = grant.subject
    return claims


def at_hash(access_token: str) -> str:
    """Return the left half of its SHA-256. OpenID Connect Core §3.1.3.6."""
    digest = hashlib.sha256(access_token.encode("ascii")).digest()
    return base64.urlsafe_b64encode(digest[:16]).rstrip(b"=").decode("ascii")


def seconds_until(instant: datetime, now: datetime) -> int:
    """Return whole seconds until then, never negative."""
    return max(0, (instant - now) // timedelta(seconds=1))


_LENGTH: Final = 8192


@dataclass(frozen=True, slots=True)
class IdTokenHint:
    """``sid`` is None for tokens older than sessions."""

    client_id: ClientId
    subject: PairwiseSubject = field(repr=False)
    sid: Sid | None


def read_hint(keys: SigningKeys, issuer: str, token: str | None) -> IdTokenHint | None:
    """Return the hint; None if absent or not ours."""
    if token is None or len(token) > _LENGTH:
        return None
    try:
        claims = keys.verify(token, typ="jwt")
    except TokenInvalid:
        return None
    client_id, subject, sid = _client_of(claims), claims.get("sub"), claims.get("sid")
    if claims.get("iss") != issuer or client_id is None or not isinstance(subject, str):
        return None
    session = Sid(sid) if isinstance(sid, str) else None
    return IdTokenHint(client_id, PairwiseSubject(subject), session)


def _client_of(claims: dict[str, Any]) -> ClientId | None:
    """Return the token's one client: ``azp``, or its only audience. Core §2."""
    audience = claims.get("aud")
    audiences = audience if isinstance(audience, list) else [audience]
    client = claims.get("azp", audiences[0] if len(audiences) == 1 else None)
    return ClientId(client) if isinstance(client, str) and client in audiences else None

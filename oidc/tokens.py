"""What is in the tokens, and the life of refresh tokens.

Claims are made from a grant, which knows a subject and no account. Access tokens are JWTs
(RFC 9068); refresh tokens are opaque, rotated at each use, and one that comes a second time
revokes its whole family (RFC 9700 §4.14.2).
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from oidc.secrets import digest_of, new_secret
from oidc.storage.tokens import RefreshToken

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oidc.storage.transactions import Stores
    from oidc.types import ClientId, Grant


@dataclass(frozen=True, slots=True)
class Validity:
    """From when until when a token is good.

    Attributes:
        issued_at: aware, UTC.
        lifetime_s: seconds.
    """

    issued_at: datetime
    lifetime_s: int

    def claims(self) -> dict[str, object]:
        """Return ``iat``, ``nbf`` and ``exp``. RFC 7519 §4.1."""
        issued = int(self.issued_at.timestamp())
        return {"iat": issued, "nbf": issued, "exp": issued + self.lifetime_s}


@dataclass(frozen=True, slots=True)
class IssuedRefreshToken:
    """A refresh token for the client, and when its family ends."""

    token: str = field(repr=False)
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Rotated:
    """What a refresh token was worth, and its successor."""

    grant: Grant
    successor: IssuedRefreshToken


def access_token_claims(
    grant: Grant, scope: Sequence[str], *, issuer: str, audience: str, valid: Validity
) -> dict[str, object]:
    """Return the claims of an access token. RFC 9068 §2.2.

    ``grant_id`` lets our own endpoints ask whether the grant still lives.
    """
    return {
        "iss": issuer,
        "sub": grant.subject,
        "aud": audience,
        "client_id": grant.client_id,
        "scope": " ".join(scope),
        "jti": new_secret(),
        "grant_id": grant.grant_id,
        **valid.claims(),
    }


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

    Args:
        grant: what was allowed.
        issuer: ``iss``.
        access_token: issued beside it, for ``at_hash``.
        nonce: of the authorization request; None at a refresh (§12.2).
        external_user_id: whether to repeat ``sub`` under that name (specification §1).
        valid: its times.
    """
    claims: dict[str, object] = {
        "iss": issuer,
        "sub": grant.subject,
        "aud": grant.client_id,
        "auth_time": int(grant.auth_time.timestamp()),
        "amr": list(grant.amr),
        "at_hash": at_hash(access_token),
        "jti": new_secret(),
        **valid.claims(),
    }
    if nonce is not None:
        claims["nonce"] = nonce
    if external_user_id:
        claims["external_user_id"] = grant.subject
    return claims


def at_hash(access_token: str) -> str:
    """Return the left half of its SHA-256. OpenID Connect Core §3.1.3.6."""
    digest = hashlib.sha256(access_token.encode("ascii")).digest()
    return base64.urlsafe_b64encode(digest[:16]).rstrip(b"=").decode("ascii")


def issue_refresh_token(
    stores: Stores,
    grant: Grant,
    expires_at: datetime,
    new_token: Callable[[], str] = new_secret,
) -> IssuedRefreshToken:
    """Keep the digest of a new refresh token and return the token."""
    token = new_token()
    stores.tokens.add(
        RefreshToken(
            digest=digest_of(token),
            grant_id=grant.grant_id,
            client_id=grant.client_id,
            expires_at=expires_at,
        )
    )
    return IssuedRefreshToken(token, expires_at)


def present_refresh_token(
    stores: Stores, token: str, client_id: ClientId, now: datetime
) -> RefreshToken | None:
    """Return the token an authenticated client shows; None if it is worth nothing.

    A spent token revokes its family; another client's token is left alone.
    """
    found = stores.tokens.find(digest_of(token))
    if found is None or found.client_id != client_id:
        return None
    if found.spent:
        stores.grants.revoke(found.grant_id, now)
        return None
    return found if found.expires_at > now else None


def rotate(stores: Stores, presented: RefreshToken, now: datetime) -> Rotated | None:
    """Spend a refresh token for its successor, which ends when it would have ended.

    None if the grant is revoked, or if the token was spent meanwhile: then it is in two hands,
    and the family is revoked.
    """
    if not stores.tokens.spend(presented.digest, now):
        stores.grants.revoke(presented.grant_id, now)
        return None
    grant = stores.grants.find(presented.grant_id)
    if grant is None:
        return None
    return Rotated(grant, issue_refresh_token(stores, grant, presented.expires_at))


def seconds_until(instant: datetime, now: datetime) -> int:
    """Return whole seconds from now until then, never negative."""
    return max(0, (instant - now) // timedelta(seconds=1))

"""``id_token_hint``: an ID token of ours, possibly expired, that names a person.

OpenID Connect Core §3.1.2.1, RP-Initiated Logout 1.0 §2. It does not prove who uses the
browser.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from oidc.errors import TokenInvalid
from oidc.keys.signing_keys import SigningKeys
from oidc.types import ClientId, PairwiseSubject, Sid

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

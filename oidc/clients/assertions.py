"""Client assertions: signed, short-lived, single-use JWTs for private_key_jwt.

RFC 7523 §3, OpenID Connect Core §9. The audience must be this provider alone.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from joserfc import jws, jwt
from joserfc.errors import JoseError

from oidc.clients.jwks import candidate_keys
from oidc.clients.rules import ASSERTION_ALGORITHMS, FAPI_ALGORITHMS
from oidc.errors import AssertionRefused
from oidc.protocol.identifiers import digest_of
from oidc.types import Profile

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from oidc.storage.transactions import Stores
    from oidc.types import Client

TYPE: Final = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
"""``client_assertion_type``. RFC 7523 §2.2."""

_SKEW: Final = timedelta(seconds=30)
"""Tolerated error of a client's clock."""

_LIFETIME: Final = timedelta(hours=1)
"""Greatest lifetime; its ``jti`` is stored that long."""

_JTI_LENGTH: Final = 255


def subject_of(token: str) -> str:
    """Return ``sub``, unverified. Raises ``AssertionRefused``."""
    try:
        claims = json.loads(jws.extract_compact(token.encode("ascii")).payload)
    except (JoseError, ValueError, RecursionError) as fault:
        raise AssertionRefused("not a JWT") from fault
    subject = claims.get("sub") if isinstance(claims, dict) else None
    if not isinstance(subject, str):
        raise AssertionRefused("the assertion has no sub")
    return subject


def accept(
    stores: Stores, client: Client, token: str, audiences: Collection[str], now: datetime
) -> None:
    """Accept the assertion, once. Call ``subject_of`` first. Raises ``AssertionRefused``."""
    claims = _verified(client, token)
    _require_claims(client, claims, now)
    _require_audience(client, claims["aud"], audiences)
    latest = now + _LIFETIME + _SKEW
    if claims["exp"] > latest.timestamp():
        raise AssertionRefused("the assertion is valid for too long")
    if len(claims["jti"]) > _JTI_LENGTH:
        raise AssertionRefused("the jti is too long")
    used = digest_of(f"assertion\n{client.client_id}\n{claims['jti']}")
    if not stores.replay.use(used, datetime.fromtimestamp(claims["exp"], UTC) + _SKEW):
        raise AssertionRefused("the assertion was used before")


def _verified(client: Client, token: str) -> dict[str, Any]:
    header = jws.extract_compact(token.encode("ascii")).headers()
    algorithms = FAPI_ALGORITHMS if client.profile is Profile.FAPI2 else ASSERTION_ALGORITHMS
    for key in candidate_keys(client.jwks or '{"keys":[]}', header):
        claims = _claims(token, key, algorithms)
        if claims is not None:
            return claims
    raise AssertionRefused("the assertion is not signed by a key of the client")


def _claims(
    token: str,
    key: Any,  # noqa: ANN401
    algorithms: Sequence[str],
) -> dict[str, Any] | None:
    try:
        return jwt.decode(token, key, list(algorithms)).claims
    except (JoseError, TypeError):
        return None


def _require_claims(client: Client, claims: dict[str, Any], now: datetime) -> None:
    """Check names, times and types. RFC 7523 §3."""
    registry = jwt.JWTClaimsRegistry(
        int(now.timestamp()),
        int(_SKEW.total_seconds()),
        iss={"essential": True, "value": client.client_id},
        sub={"essential": True, "value": client.client_id},
        aud={"essential": True},
        exp={"essential": True},
        jti={"essential": True},
    )
    try:
        registry.validate(claims)
    except JoseError as fault:
        raise AssertionRefused(str(fault)) from fault


def _require_audience(
    client: Client, named: str | list[str], audiences: Collection[str]
) -> None:
    if client.profile is Profile.FAPI2 and not isinstance(named, str):
        raise AssertionRefused("the audience must be one string")
    if not set([named] if isinstance(named, str) else named) <= set(audiences):
        raise AssertionRefused("the assertion is for another server")

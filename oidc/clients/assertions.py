"""Client assertions: signed, short-lived, single-use JWTs for private_key_jwt.

RFC 7523 §3, OpenID Connect Core §9. The audience must be this provider alone.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from math import nan
from typing import TYPE_CHECKING, Any, Final

from joserfc import jws, jwt
from joserfc.errors import JoseError

from oidc.clients.jwks import ALGORITHMS, FAPI_ALGORITHMS, candidate_keys
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


@dataclass(frozen=True, slots=True)
class Assertion:
    """An assertion signed by its client; claims not yet checked."""

    client: Client
    claims: dict[str, Any] = field(repr=False)


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
    assertion = Assertion(client, _verified(client, token))
    _require_names(assertion, audiences)
    if client.profile is Profile.FAPI2 and not isinstance(assertion.claims["aud"], str):
        raise AssertionRefused("the audience must be one string")
    expires_at = _require_times(assertion.claims, now)
    jti = assertion.claims.get("jti")
    if not isinstance(jti, str) or not 0 < len(jti) <= _JTI_LENGTH:
        raise AssertionRefused("an assertion needs a jti")
    if not stores.replay.use(digest_of(f"assertion\n{client.client_id}\n{jti}"), expires_at):
        raise AssertionRefused("the assertion was used before")


def _verified(client: Client, token: str) -> dict[str, Any]:
    header = jws.extract_compact(token.encode("ascii")).headers()
    algorithms = FAPI_ALGORITHMS if client.profile is Profile.FAPI2 else ALGORITHMS
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


def _require_names(assertion: Assertion, audiences: Collection[str]) -> None:
    claims, client_id = assertion.claims, assertion.client.client_id
    if claims.get("iss") != client_id or claims.get("sub") != client_id:
        raise AssertionRefused("iss and sub must be the client")
    named = claims.get("aud")
    listed = named if isinstance(named, list) else [named]
    if not listed or not all(isinstance(each, str) and each in audiences for each in listed):
        raise AssertionRefused("the assertion is for another server")


def _require_times(claims: dict[str, Any], now: datetime) -> datetime:
    """Return until when the assertion could be used again."""
    latest = (now + _SKEW).timestamp()
    for name in ("iat", "nbf"):
        if name in claims and not _time(claims[name]) <= latest:
            raise AssertionRefused("iat or nbf is in the future")
    expiry = _time(claims.get("exp"))
    if not expiry > (now - _SKEW).timestamp():
        raise AssertionRefused("the assertion has expired")
    if expiry > latest + _LIFETIME.total_seconds():
        raise AssertionRefused("the assertion is valid for too long")
    return datetime.fromtimestamp(expiry, UTC) + _SKEW


def _time(value: object) -> float:
    """Return a NumericDate; NaN fails every comparison."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return nan
    try:
        return float(value)
    except OverflowError:
        return nan

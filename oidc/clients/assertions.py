"""Client assertions: signed, short-lived, single-use JWTs for private_key_jwt.

RFC 7523 §3, OpenID Connect Core §9. The audience must be this provider alone. A client's public
keys are a JWK set (RFC 7517).
"""

import json
from collections.abc import Collection
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from joserfc import jws, jwt
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, KeySet, RSAKey

from oidc.client import ASSERTION_ALGORITHMS, FAPI_ALGORITHMS, Client, Profile
from oidc.errors import AssertionRefused, ClientRefused
from oidc.protocol import digest_of
from oidc.storage.database import Stores

TYPE: Final = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
"""``client_assertion_type``. RFC 7523 §2.2."""

_SKEW: Final = timedelta(seconds=30)
"""Tolerated error of a client's clock."""

_LIFETIME: Final = timedelta(hours=1)
"""Greatest lifetime; its ``jti`` is stored that long."""

_JTI_LENGTH: Final = 255

_KEY_TYPES: Final[dict[str, type[RSAKey | ECKey]]] = {
    "RS256": RSAKey,
    "ES256": ECKey,
    "PS256": RSAKey,
}
_KEY_COUNT: Final = 10
_RSA_BITS: Final = 2048
_CURVE: Final = "P-256"


def require_public_keys(text: str) -> str:
    """Return a JWK set after checking each key. Raises ``ClientRefused``."""
    try:
        document = json.loads(text)
        keys = KeySet.import_key_set(document).keys
    except (
        JoseError, ValueError, TypeError, KeyError, AttributeError, RecursionError
    ) as fault:  # fmt: skip
        raise ClientRefused("the keys are not a JWK set") from fault
    if not 0 < len(keys) <= _KEY_COUNT or len(keys) != len(document["keys"]):
        raise ClientRefused(f"a JWK set has 1 to {_KEY_COUNT} RSA or EC keys")
    for key in keys:
        _require_good(key)
    return json.dumps({"keys": [key.as_dict(private=False) for key in keys]})


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
        with suppress(JoseError, TypeError):
            return jwt.decode(token, key, list(algorithms)).claims
    raise AssertionRefused("the assertion is not signed by a key of the client")


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


def candidate_keys(jwks: str, header: dict[str, Any]) -> list[RSAKey | ECKey]:
    """Return keys that may have signed with this header."""
    key_type = _KEY_TYPES.get(str(header.get("alg")))
    if key_type is None:
        return []
    kid = header.get("kid")
    return [
        key_type.import_key(jwk)
        for jwk in json.loads(jwks)["keys"]
        if jwk["kty"] == key_type.key_type and kid in (None, jwk.get("kid", kid))
    ]


def _require_good(key: object) -> None:
    if not isinstance(key, (RSAKey, ECKey)):
        raise ClientRefused("assertions are signed with RSA or EC keys")
    if key.is_private:
        raise ClientRefused("this is a private key: send the public key only")
    if isinstance(key, RSAKey) and key.public_key.key_size < _RSA_BITS:
        raise ClientRefused(f"an RSA key needs at least {_RSA_BITS} bits")
    if isinstance(key, ECKey) and key.curve_name != _CURVE:
        raise ClientRefused(f"the only supported curve is {_CURVE}")

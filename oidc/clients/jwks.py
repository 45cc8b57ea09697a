"""The public keys of a client that signs assertions. RFC 7517."""

from __future__ import annotations

import json
from typing import Any, Final

from joserfc.errors import JoseError
from joserfc.jwk import ECKey, KeySet, RSAKey

from oidc.errors import ClientRefused

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

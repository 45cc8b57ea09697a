"""Signs and verifies with the stored keys, and publishes the JWKS.

The newest active key of an algorithm signs, all verify. The algorithm comes from the key's
record, never from a token (RFC 8725 §3.1).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateNumbers, RSAPublicNumbers
from joserfc import jws, jwt
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, RSAKey
from joserfc.util import base64_to_int, json_b64encode, urlsafe_b64encode

from oidc.errors import DatabaseUnavailable, SigningKeyFault, TokenInvalid
from oidc.keys.rotation import ALGORITHMS, KEY_REFRESH_INTERVAL, is_active
from oidc.keys.verified_cache import VerifiedToken, VerifiedTokenCache

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from oidc.keys.encryption import KeyCipher
    from oidc.storage.database import Database
    from oidc.storage.stores.keys import SigningKeyRecord
    from oidc.types import Clock

_REMEMBERED: Final = "at+jwt"
"""Verified repeatedly. RFC 9068 §2.1."""

_RSA_NUMBERS: Final = ("p", "q", "d", "dp", "dq", "qi", "e", "n")

_ENCODE: Final = json.JSONEncoder(separators=(",", ":")).encode


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A decrypted signing key."""

    record: SigningKeyRecord
    key: RSAKey | ECKey = field(repr=False)

    def sign(self, claims: Mapping[str, object], typ: str) -> str:
        """Return a compact JWS; ``jwt.encode`` would judge our own header and key each time."""
        algorithm = self.record.algorithm
        content = _header(algorithm, typ, self.record.kid)
        content += b"." + urlsafe_b64encode(_ENCODE(claims).encode("ascii"))
        signature = jws.JWSRegistry.algorithms[algorithm].sign(content, self.key)
        return (content + b"." + urlsafe_b64encode(signature)).decode("ascii")


@lru_cache
def _header(algorithm: str, typ: str, kid: str) -> bytes:
    return json_b64encode({"alg": algorithm, "typ": typ, "kid": kid})


class SigningKeys:
    """Signs and verifies; reloads the keys now and then."""

    def __init__(self, database: Database, cipher: KeyCipher, clock: Clock) -> None:
        self._database = database
        self._cipher = cipher
        self._clock = clock
        self._lock = Lock()
        self._cache = VerifiedTokenCache()
        self._keys: tuple[SigningKey, ...] = ()
        self._read_at: datetime | None = None

    def sign(
        self, claims: Mapping[str, object], *, typ: str, algorithm: str = ALGORITHMS[0]
    ) -> str:
        """Return the claims as compact JWS, signed by the current key. RFC 7515, RFC 7519."""
        current = self._current(algorithm)
        token = current.sign(claims, typ)
        if typ == _REMEMBERED:
            self._cache.add(token, VerifiedToken(current.record.kid, typ, dict(claims)))
        return token

    def verify(self, token: str, *, typ: str) -> dict[str, Any]:
        """Return the claims of our token; times and audience are not checked.

        Raises ``TokenInvalid``.
        """
        known = self._cache.find(token)
        try:
            if known is None:
                known = self._verified(token)
        except (JoseError, ValueError, TypeError) as fault:
            raise TokenInvalid("not a token of this provider") from fault
        # The key may have been retired since.
        if known.typ.lower() != typ or self._key(known.kid) is None:
            raise TokenInvalid("not a token of this provider")
        return dict(known.claims)

    def _verified(self, token: str) -> VerifiedToken:
        header = jws.extract_compact(token.encode("ascii")).headers()
        signing = self._key(header.get("kid"))
        if signing is None:
            raise TokenInvalid("not a token of this provider")
        claims = jwt.decode(token, signing.key, [signing.record.algorithm]).claims
        known = VerifiedToken(signing.record.kid, str(header.get("typ", "")), claims)
        if known.typ == _REMEMBERED:
            self._cache.add(token, known)
        return known

    def jwks(self) -> dict[str, list[dict[str, str]]]:
        """Return the public keys that are not retired. RFC 7517 §5."""
        active = sorted(
            self._active(), key=lambda each: ALGORITHMS.index(each.record.algorithm)
        )
        return {"keys": [json.loads(each.record.public_jwk) for each in active]}

    def require_ready(self) -> None:
        """Check that every algorithm has a key. Raises ``SigningKeyFault``."""
        for algorithm in ALGORITHMS:
            self._current(algorithm)

    def _current(self, algorithm: str) -> SigningKey:
        now = self._clock()
        ready = [
            key
            for key in self._active()
            if key.record.algorithm == algorithm and key.record.signs_from <= now
        ]
        if not ready:
            raise SigningKeyFault(
                f"there is no signing key for {algorithm}: run `thenar migrate`"
            )
        return ready[-1]

    def _key(self, kid: object) -> SigningKey | None:
        return next((key for key in self._active() if key.record.kid == kid), None)

    def _active(self) -> list[SigningKey]:
        now = self._clock()
        # During a reload others use the known keys: an event loop must not block.
        if self._is_stale(now) and self._lock.acquire(blocking=not self._keys):
            try:
                if self._is_stale(now):
                    self._refresh(now)
            finally:
                self._lock.release()
        return [key for key in self._keys if is_active(key.record, now)]

    def _is_stale(self, now: datetime) -> bool:
        return self._read_at is None or now - self._read_at >= KEY_REFRESH_INTERVAL

    def _refresh(self, now: datetime) -> None:
        """Reload the keys; known ones serve while the database is unavailable."""
        try:
            self._keys, self._read_at = self._load(), now
        except DatabaseUnavailable:
            if not self._keys:
                raise

    def _load(self) -> tuple[SigningKey, ...]:
        with self._database.read() as stores:
            records = stores.keys.all()
        return tuple(SigningKey(record, self._private_key(record)) for record in records)

    def _private_key(self, record: SigningKeyRecord) -> RSAKey | ECKey:
        opened = json.loads(self._cipher.decrypt(record.sealed_private, record.kid))
        return ECKey.import_key(opened) if record.algorithm == "ES256" else _rsa_key(opened)


def _rsa_key(jwk: Mapping[str, str]) -> RSAKey:
    """Import our own unchanged key, without checking its primes (0.1 s)."""
    p, q, d, dp, dq, qi, e, n = (base64_to_int(jwk[name]) for name in _RSA_NUMBERS)
    numbers = RSAPrivateNumbers(p, q, d, dp, dq, qi, RSAPublicNumbers(e, n))
    return RSAKey.import_key(numbers.private_key(unsafe_skip_rsa_key_validation=True))

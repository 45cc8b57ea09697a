"""Rotates signing keys with an overlap. RFC 7517 §5, OpenID Connect Core §10.1.1.

A new key is published before it signs, for cached JWKS; the old one until its last token
expired.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from joserfc.jwk import ECKey, RSAKey

from oidc.storage.stores.keys import SigningKeyRecord
from oidc.types import AuditEvent

if TYPE_CHECKING:
    from datetime import datetime

    from oidc.keys.encryption import KeyCipher
    from oidc.storage.transactions import Stores
    from oidc.types import Lifetimes

ALGORITHMS: Final = ("RS256", "ES256")
"""RS256 comes first: every library verifies it."""

RSA_BITS: Final = 2048
"""Enough until 2030 (NIST SP 800-57); larger keys slow every login."""

KEY_REFRESH_INTERVAL: Final = timedelta(seconds=60)
"""How long a process may use the keys it knows."""

_PUBLISHED: Final = timedelta(minutes=15)
"""Three times the JWKS' cache lifetime."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """How a new key and its predecessor overlap.

    ``published`` is before the new one signs, ``verifies`` after the old one's last signature.
    """

    published: timedelta
    verifies: timedelta

    @classmethod
    def for_tokens(cls, lifetimes: Lifetimes) -> Overlap:
        """Let every token expire; a slow process may sign a little longer."""
        longest_s = max(lifetimes.access_token_s, lifetimes.id_token_s)
        return cls(_PUBLISHED, timedelta(seconds=longest_s) + 2 * KEY_REFRESH_INTERVAL)

    @classmethod
    def none(cls) -> Overlap:
        """For a compromised key: nothing it signed counts any more."""
        return cls(timedelta(0), timedelta(0))


def rotate_key(
    stores: Stores, cipher: KeyCipher, algorithm: str, overlap: Overlap, now: datetime
) -> SigningKeyRecord:
    """Add a key, retire its predecessors, and delete those that have ended."""
    signs_from = now + overlap.published
    for old in stores.keys.all():
        if not is_active(old, now):
            stores.keys.remove(old.kid)
        elif old.algorithm == algorithm:
            ends_at = signs_from + overlap.verifies
            stores.keys.retire(old.kid, min(ends_at, old.retires_at or ends_at))
    record = new_signing_key(cipher, algorithm, signs_from, created_at=now)
    _add(stores, record, now, is_compromised=overlap == Overlap.none())
    return record


def ensure_signing_keys(stores: Stores, cipher: KeyCipher, now: datetime) -> None:
    """Make a key for each algorithm that has none."""
    present = {record.algorithm for record in stores.keys.all() if is_active(record, now)}
    for algorithm in ALGORITHMS:
        if algorithm not in present:
            _add(stores, new_signing_key(cipher, algorithm, now, created_at=now), now)


def require_own_keys(stores: Stores, cipher: KeyCipher) -> None:
    """Check that the stored keys were encrypted by this one. Raises ``SigningKeyFault``."""
    for record in stores.keys.all():
        cipher.decrypt(record.sealed_private, record.kid)


def _add(
    stores: Stores, record: SigningKeyRecord, now: datetime, *, is_compromised: bool = False
) -> None:
    stores.keys.add(record)
    stores.audit.record(
        AuditEvent.SIGNING_KEY_MADE,
        now,
        kid=record.kid,
        algorithm=record.algorithm,
        compromised=int(is_compromised),
    )


def new_signing_key(
    cipher: KeyCipher, algorithm: str, signs_from: datetime, *, created_at: datetime
) -> SigningKeyRecord:
    """Return a fresh key, encrypted; its ``kid`` is its RFC 7638 thumbprint."""
    key = _generated(algorithm)
    kid = key.thumbprint()
    use = {"kid": kid, "use": "sig", "alg": algorithm}
    return SigningKeyRecord(
        kid=kid,
        algorithm=algorithm,
        public_jwk=json.dumps({**key.as_dict(private=False), **use}),
        sealed_private=cipher.encrypt(json.dumps(key.as_dict(private=True)).encode(), kid),
        created_at=created_at,
        signs_from=signs_from,
    )


def is_active(record: SigningKeyRecord, now: datetime) -> bool:
    """Return whether the key is published and verifies."""
    return record.retires_at is None or record.retires_at > now


def _generated(algorithm: str) -> RSAKey | ECKey:
    if algorithm == "ES256":
        return ECKey.generate_key("P-256")
    return RSAKey.generate_key(RSA_BITS)

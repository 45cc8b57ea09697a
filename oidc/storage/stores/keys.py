"""Store of signing keys, private halves encrypted."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import delete, select, update

from oidc.plumbing.store import Store
from oidc.storage import schema as t


@dataclass(frozen=True, slots=True)
class SigningKeyRecord:
    """A stored signing key.

    Attributes:
        algorithm: JWS algorithm, for example ``RS256``.
        public_jwk: JSON (RFC 7517).
        sealed_private: private key, encrypted with the key encryption key.
        signs_from: published before, so that caches know it.
        retires_at: when it leaves the JWKS; None while in use.
    """

    kid: str
    algorithm: str
    public_jwk: str
    sealed_private: bytes = field(repr=False)
    created_at: datetime
    signs_from: datetime
    retires_at: datetime | None = None


class KeyStore(Store):
    """Stores signing keys."""

    def add(self, record: SigningKeyRecord) -> None:
        """Add a key."""
        self._add(t.signing_keys, record)

    def all(self) -> list[SigningKeyRecord]:
        """Return all keys, oldest first."""
        keys = t.signing_keys.c
        query = select(t.signing_keys).order_by(keys.signs_from, keys.kid)
        return self._all(SigningKeyRecord, query)

    def retire(self, kid: str, retires_at: datetime) -> None:
        """Set when the key leaves the JWKS."""
        change = update(t.signing_keys).where(t.signing_keys.c.kid == kid)
        self._changed(change.values(retires_at=retires_at))

    def remove(self, kid: str) -> None:
        """Delete the key."""
        self._changed(delete(t.signing_keys).where(t.signing_keys.c.kid == kid))

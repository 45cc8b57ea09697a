"""Store of signing keys, private halves encrypted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlalchemy import delete, select, update

from oidc.plumbing.store import Store
from oidc.storage.schema import signing_keys

if TYPE_CHECKING:
    from datetime import datetime


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
        self._add(signing_keys, record)

    def all(self) -> list[SigningKeyRecord]:
        """Return all keys, oldest first."""
        query = select(signing_keys).order_by(signing_keys.c.signs_from, signing_keys.c.kid)
        return self._all(SigningKeyRecord, query)

    def retire(self, kid: str, retires_at: datetime) -> None:
        """Set when the key leaves the JWKS."""
        change = update(signing_keys).where(signing_keys.c.kid == kid)
        self._changed(change.values(retires_at=retires_at))

    def remove(self, kid: str) -> None:
        """Delete the key."""
        self._changed(delete(signing_keys).where(signing_keys.c.kid == kid))

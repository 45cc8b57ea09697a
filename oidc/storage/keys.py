"""Store of signing keys, private halves encrypted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

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


class KeyStore(Protocol):
    """Stores signing keys."""

    def add(self, record: SigningKeyRecord) -> None:
        """Add a key."""

    def all(self) -> list[SigningKeyRecord]:
        """Return all keys, oldest first."""

    def retire(self, kid: str, retires_at: datetime) -> None:
        """Set when the key leaves the JWKS."""

    def remove(self, kid: str) -> None:
        """Delete the key."""

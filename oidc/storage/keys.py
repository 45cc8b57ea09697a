"""Port: signing keys, the private half sealed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True)
class SigningKeyRecord:
    """A signing key as it is kept.

    Attributes:
        kid: names the key in every signature.
        algorithm: JWS algorithm it signs with, for example ``RS256``.
        public_jwk: the public half, JSON (RFC 7517).
        sealed_private: the private half, sealed under the key encryption key.
        created_at: aware, UTC.
        signs_from: from when it signs; it is published before.
        retires_at: when it leaves the JWKS; None while it is in use.
    """

    kid: str
    algorithm: str
    public_jwk: str
    sealed_private: bytes = field(repr=False)
    created_at: datetime
    signs_from: datetime
    retires_at: datetime | None = None


class KeyStore(Protocol):
    """Keeps signing keys."""

    def add(self, record: SigningKeyRecord) -> None:
        """Keep a new key."""

    def all(self) -> list[SigningKeyRecord]:
        """Return every key, the oldest first."""

    def retire(self, kid: str, retires_at: datetime) -> None:
        """Say when the key leaves the JWKS."""

    def remove(self, kid: str) -> None:
        """Delete the key."""

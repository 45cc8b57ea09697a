"""Store of refresh tokens, by digest."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from oidc.types import ClientId, GrantId


@dataclass(frozen=True, slots=True)
class RefreshToken:
    """A stored refresh token. All tokens of one grant are one family.

    Attributes:
        digest: SHA-256 of the token.
        family_ends_at: the same for the whole family.
        spent: whether it was exchanged for its successor.
        sealed_successor: encrypted with this token; erased after the grace period.
        sealed_until: end of the grace period.
        dpop_jkt: thumbprint of the required DPoP key (RFC 9449 §5), or None.
    """

    digest: bytes = field(repr=False)
    grant_id: GrantId
    client_id: ClientId
    expires_at: datetime
    family_ends_at: datetime
    spent: bool = False
    sealed_successor: bytes | None = field(default=None, repr=False)
    sealed_until: datetime | None = None
    dpop_jkt: str | None = None


@dataclass(frozen=True, slots=True)
class SealedSuccessor:
    """A successor that only its predecessor can decrypt.

    Attributes:
        sealed: nonce and ciphertext.
        until: end of the grace period; aware, UTC.
    """

    sealed: bytes = field(repr=False)
    until: datetime


class TokenStore(Protocol):
    """Stores refresh tokens."""

    def add(self, token: RefreshToken) -> None:
        """Add a token."""

    def find(self, digest: bytes) -> RefreshToken | None:
        """Return the token, even if spent or expired; None if unknown."""

    def spend(self, digest: bytes, now: datetime, sealed: SealedSuccessor) -> bool:
        """Exchange the token for its successor; False if unknown, expired or already spent.

        Atomic: of two concurrent calls, exactly one gets True.
        """

    def erase_successors(self, now: datetime) -> int:
        """Erase encrypted successors past their grace period; return how many."""

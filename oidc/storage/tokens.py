"""Port: refresh tokens, known by their digests only."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from oidc.types import ClientId, GrantId


@dataclass(frozen=True, slots=True)
class RefreshToken:
    """A refresh token as it is kept. All tokens of one grant are one family.

    Attributes:
        digest: SHA-256 of the token.
        grant_id: what it is worth; the family.
        client_id: who alone may use it.
        expires_at: aware, UTC; until when it may be exchanged.
        family_ends_at: aware, UTC; the same for the whole family.
        spent: whether it has been exchanged for its successor.
        sealed_successor: its successor, which only this token opens; erased after the grace.
        sealed_until: until when that may be given again.
        dpop_jkt: thumbprint of the key that must be proved with it (RFC 9449 §5), or None.
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
    """The successor of a token, which only that token opens.

    Attributes:
        sealed: nonce and ciphertext.
        until: aware, UTC; until when it may be given again.
    """

    sealed: bytes = field(repr=False)
    until: datetime


class TokenStore(Protocol):
    """Keeps refresh tokens."""

    def add(self, token: RefreshToken) -> None:
        """Keep a new refresh token."""

    def find(self, digest: bytes) -> RefreshToken | None:
        """Return the token, spent or not, expired or not; None if there never was one."""

    def spend(self, digest: bytes, now: datetime, sealed: SealedSuccessor) -> bool:
        """Spend the token for its successor; False if it is unknown, expired or spent already.

        Atomic: of two concurrent calls with one digest, exactly one gets True.
        """

    def erase_successors(self, now: datetime) -> int:
        """Erase the sealed successors whose time is over; return how many."""

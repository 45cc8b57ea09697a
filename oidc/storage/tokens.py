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
        expires_at: aware, UTC; the same for the whole family.
        spent: whether it has been exchanged for its successor.
    """

    digest: bytes = field(repr=False)
    grant_id: GrantId
    client_id: ClientId
    expires_at: datetime
    spent: bool = False


class TokenStore(Protocol):
    """Keeps refresh tokens."""

    def add(self, token: RefreshToken) -> None:
        """Keep a new refresh token."""

    def find(self, digest: bytes) -> RefreshToken | None:
        """Return the token, spent or not, expired or not; None if there never was one."""

    def spend(self, digest: bytes, now: datetime) -> bool:
        """Mark the token spent; False if it is unknown, expired or spent already.

        Atomic: of two concurrent calls with one digest, exactly one gets True.
        """

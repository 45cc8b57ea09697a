"""Store of authorization codes, by digest."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from oidc.types import ClientId, GrantId


@dataclass(frozen=True, slots=True)
class Code:
    """A stored authorization code.

    Attributes:
        digest: SHA-256 of the code.
        redirect_uri: must be repeated at the token endpoint.
        code_challenge: PKCE S256, or None.
        dpop_jkt: thumbprint of the required DPoP key (RFC 9449 §10), or None.
    """

    digest: bytes = field(repr=False)
    grant_id: GrantId
    client_id: ClientId
    redirect_uri: str
    code_challenge: str | None = field(repr=False)
    expires_at: datetime
    spent: bool = False
    dpop_jkt: str | None = None


class CodeStore(Protocol):
    """Stores authorization codes."""

    def add(self, code: Code) -> None:
        """Add a code."""

    def find(self, digest: bytes) -> Code | None:
        """Return the code, even if spent or expired; None if unknown."""

    def spend(self, digest: bytes, now: datetime) -> bool:
        """Mark the code spent; False if unknown, expired or already spent.

        Atomic: of two concurrent calls, exactly one gets True.
        """

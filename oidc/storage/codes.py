"""Port: authorization codes, known by their digests only."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from oidc.types import ClientId, GrantId


@dataclass(frozen=True, slots=True)
class Code:
    """An authorization code as it is kept.

    Attributes:
        digest: SHA-256 of the code.
        grant_id: what it is worth.
        client_id: who alone may spend it.
        redirect_uri: where it was sent; must be repeated at the token endpoint.
        code_challenge: PKCE S256, or None.
        expires_at: aware, UTC.
        spent: whether it has been spent.
        dpop_jkt: thumbprint of the key that must be proved with it (RFC 9449 §10), or None.
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
    """Keeps authorization codes."""

    def add(self, code: Code) -> None:
        """Keep a new code."""

    def find(self, digest: bytes) -> Code | None:
        """Return the code, spent or not, expired or not; None if there never was one."""

    def spend(self, digest: bytes, now: datetime) -> bool:
        """Mark the code spent; False if it is unknown, expired or spent already.

        Atomic: of two concurrent calls with one digest, exactly one gets True.
        """

"""Store of pushed authorization requests (RFC 9126)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from oidc.types import ClientId


@dataclass(frozen=True, slots=True)
class PushedRequest:
    """A stored pushed request.

    Attributes:
        digest: SHA-256 of the ``request_uri`` reference.
    """

    digest: bytes = field(repr=False)
    client_id: ClientId
    values: dict[str, str] = field(repr=False)
    expires_at: datetime


class PushedRequestStore(Protocol):
    """Stores pushed requests."""

    def add(self, pushed: PushedRequest) -> None:
        """Add a request."""

    def consume(
        self, digest: bytes, client_id: ClientId, now: datetime
    ) -> PushedRequest | None:
        """Return and delete the request; None if unknown, expired or another client's.

        Atomic: of two concurrent calls, exactly one gets it.
        """

    def purge(self, expired_before: datetime) -> int:
        """Delete requests that expired before then; return how many."""

"""Port: authorization requests that clients pushed, waiting for their browser."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from oidc.types import ClientId


@dataclass(frozen=True, slots=True)
class PushedRequest:
    """A pushed request as it is kept.

    Attributes:
        digest: SHA-256 of the reference.
        client_id: who pushed it.
        values: the parameters that were pushed.
        expires_at: aware, UTC.
    """

    digest: bytes = field(repr=False)
    client_id: ClientId
    values: dict[str, str] = field(repr=False)
    expires_at: datetime


class PushedRequestStore(Protocol):
    """Keeps pushed requests."""

    def add(self, pushed: PushedRequest) -> None:
        """Keep a new pushed request."""

    def consume(
        self, digest: bytes, client_id: ClientId, now: datetime
    ) -> PushedRequest | None:
        """Return the request and forget it; None if unknown, expired or another client's.

        Atomic: of two concurrent calls with one digest, exactly one gets the request.
        """

    def purge(self, expired_before: datetime) -> int:
        """Forget requests that expired before then; return how many."""

"""Port: used nonces."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class UsedNonces(Protocol):
    """Used nonces, kept until they would have expired."""

    def consume(self, digest: bytes, expires_at: datetime) -> bool:
        """Mark a nonce used; False if it was used before.

        Atomic: of two concurrent calls with one digest, exactly one returns True.
        """

    def purge(self, now: datetime) -> None:
        """Delete expired ones."""

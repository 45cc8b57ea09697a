"""Port: nonces that were used."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class UsedNonces(Protocol):
    """Nonces that were used, until they would have expired anyway."""

    def consume(self, digest: bytes, expires_at: datetime) -> bool:
        """Note that a nonce is used; False if it was used before.

        Atomic: of two concurrent calls with one digest, exactly one returns True.
        """

    def purge(self, now: datetime) -> None:
        """Forget what has expired."""

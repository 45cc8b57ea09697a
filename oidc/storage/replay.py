"""Port: identifiers that may be used only once while they could still be accepted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime


class ReplayStore(Protocol):
    """Remembers the ``jti`` of assertions and proofs, as digests."""

    def use(self, digest: bytes, expires_at: datetime) -> bool:
        """Use the identifier; False if it was used before.

        Atomic: of two concurrent calls with one digest, exactly one gets True.
        """

    def purge(self, expired_before: datetime) -> int:
        """Forget identifiers that expired before then; return how many."""

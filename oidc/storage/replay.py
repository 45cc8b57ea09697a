"""Store of single-use identifiers, kept until they expire."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime


class ReplayStore(Protocol):
    """Stores digests of the ``jti`` of assertions and proofs."""

    def use(self, digest: bytes, expires_at: datetime) -> bool:
        """Use the identifier; False if it was used before.

        Atomic: of two concurrent calls, exactly one gets True.
        """

    def purge(self, expired_before: datetime) -> int:
        """Delete identifiers that expired before then; return how many."""

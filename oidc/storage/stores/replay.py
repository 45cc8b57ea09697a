"""Store of single-use identifiers, kept until they expire."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete

from oidc.plumbing.store import Store
from oidc.storage import schema as t


class ReplayStore(Store):
    """Stores digests of the ``jti`` of assertions and proofs."""

    def use(self, digest: bytes, expires_at: datetime) -> bool:
        """Use the identifier; False if it was used before.

        Atomic: of two concurrent calls, exactly one gets True.
        """
        return self._insert_if_absent(t.used_identifiers, digest=digest, expires_at=expires_at)

    def purge(self, expired_before: datetime) -> int:
        """Delete identifiers that expired before then; return how many."""
        over = t.used_identifiers.c.expires_at < expired_before
        return self._changed(delete(t.used_identifiers).where(over))

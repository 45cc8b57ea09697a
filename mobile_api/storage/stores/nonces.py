"""Used nonces."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete

from mobile_api.storage import schema as t
from oidc.plumbing.store import Store


class UsedNonces(Store):
    """Used nonces, kept until they would have expired."""

    def consume(self, digest: bytes, expires_at: datetime) -> bool:
        """Mark a nonce used; False if it was used before.

        Atomic: of two concurrent calls with one digest, exactly one returns True.
        """
        return self._insert_if_absent(t.spent_nonces, digest=digest, expires_at=expires_at)

    def purge(self, now: datetime) -> None:
        """Delete expired ones."""
        nonces = t.spent_nonces
        self._connection.execute(delete(nonces).where(nonces.c.expires_at <= now))

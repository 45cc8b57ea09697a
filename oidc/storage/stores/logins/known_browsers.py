"""Store of browsers an account signed in with before. It names neither."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, select

from oidc.plumbing.store import Store
from oidc.storage.schema import known_browsers

if TYPE_CHECKING:
    from datetime import datetime


class KnownBrowserStore(Store):
    """Stores digests over a browser cookie and an account."""

    def add(self, digest: bytes, expires_at: datetime) -> None:
        """Add or extend an entry."""
        self._connection.execute(
            self._insert(known_browsers)
            .values(digest=digest, expires_at=expires_at)
            .on_conflict_do_update(index_elements=["digest"], set_={"expires_at": expires_at})
        )

    def is_known(self, digest: bytes, now: datetime) -> bool:
        """Tell whether it is known now."""
        query = select(known_browsers.c.digest).where(
            known_browsers.c.digest == digest, known_browsers.c.expires_at > now
        )
        return self._connection.execute(query).one_or_none() is not None

    def remove(self, digest: bytes) -> None:
        """Delete an entry."""
        self._changed(delete(known_browsers).where(known_browsers.c.digest == digest))

    def purge(self, now: datetime) -> int:
        """Delete expired entries; return how many."""
        over = select(known_browsers.c.digest).where(known_browsers.c.expires_at <= now)
        free = over.with_for_update(skip_locked=True)
        return self._changed(delete(known_browsers).where(known_browsers.c.digest.in_(free)))

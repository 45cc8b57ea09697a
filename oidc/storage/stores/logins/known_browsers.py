"""Store of browsers an account signed in with before. It names neither."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, select

from oidc.plumbing.store import Store
from oidc.storage import schema as t


class KnownBrowserStore(Store):
    """Stores digests over a browser cookie and an account."""

    def add(self, digest: bytes, expires_at: datetime) -> None:
        """Add or extend an entry."""
        self._put(t.known_browsers, {"digest": digest, "expires_at": expires_at})

    def is_known(self, digest: bytes, now: datetime) -> bool:
        """Return whether it is known now."""
        query = select(t.known_browsers.c.digest).where(
            t.known_browsers.c.digest == digest, t.known_browsers.c.expires_at > now
        )
        return self._exists(query)

    def remove(self, digest: bytes) -> None:
        """Delete an entry."""
        self._changed(delete(t.known_browsers).where(t.known_browsers.c.digest == digest))

    def purge(self, now: datetime) -> int:
        """Delete expired entries; return how many."""
        return self._purge(t.known_browsers.c.digest, t.known_browsers.c.expires_at <= now)

"""Store of browsers an account signed in with before. It names neither."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime


class KnownBrowserStore(Protocol):
    """Stores digests over a browser cookie and an account."""

    def add(self, digest: bytes, expires_at: datetime) -> None:
        """Add or extend an entry."""

    def is_known(self, digest: bytes, now: datetime) -> bool:
        """Tell whether it is known now."""

    def remove(self, digest: bytes) -> None:
        """Delete an entry."""

    def purge(self, now: datetime) -> int:
        """Delete expired entries; return how many."""

"""Port: browsers in which an account signed in before; what is kept names neither."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime


class KnownBrowserStore(Protocol):
    """Keeps digests over a browser's mark and an account."""

    def add(self, digest: bytes, expires_at: datetime) -> None:
        """Know it until then; longer, if it was known before."""

    def is_known(self, digest: bytes, now: datetime) -> bool:
        """Tell whether it is known now."""

    def remove(self, digest: bytes) -> None:
        """Know it no longer."""

    def purge(self, now: datetime) -> int:
        """Forget what has expired; return how many."""

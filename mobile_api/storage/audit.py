"""Port: what happened, in order, each entry sealed by the next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Protocol

from mobile_api.observability.audit import Event
from oidc.types import AuditEntry


class Audit(Protocol):
    """A chain of entries."""

    def append(self, event: Event, at: datetime, details: Mapping[str, int | str]) -> None:
        """Add an entry at the end. To be the last thing a unit does: it waits for others.

        Atomic: concurrent units make one chain.
        """

    def entries(self, after: int = 0) -> Iterator[AuditEntry]:
        """Give the entries after a position, oldest first."""

    def purge(self, before: datetime) -> None:
        """Forget entries older than this, but the newest of them: the chain hangs on it."""

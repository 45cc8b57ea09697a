"""Port: the audit log, a hash chain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Protocol

from mobile_api.observability.audit import Event
from oidc.types import AuditEntry


class Audit(Protocol):
    """The audit log."""

    def append(self, event: Event, at: datetime, details: Mapping[str, int | str]) -> None:
        """Append an entry. Call it last in a transaction: it waits for other writers.

        Atomic: concurrent transactions extend one chain.
        """

    def entries(self, after: int = 0) -> Iterator[AuditEntry]:
        """Yield the entries after a position, oldest first."""

    def purge(self, before: datetime) -> None:
        """Delete entries older than this, except the newest of them: the chain needs it."""

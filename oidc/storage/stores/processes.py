"""Store of the processes that run: an upgrade has to know the oldest."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from sqlalchemy import delete, select

from oidc.plumbing.store import Store
from oidc.storage.schema import processes
from oidc.types import Process

if TYPE_CHECKING:
    from datetime import datetime

SILENCE: Final = timedelta(minutes=2)
"""After which a process has ended without a word."""


class ProcessStore(Store):
    """Processes tell that they run, again and again."""

    def put(self, process: Process) -> None:
        """Add a process, or renew what it told."""
        self.delete(process)
        self._add(processes, process)

    def delete(self, process: Process) -> None:
        """Delete a process that ends."""
        key = processes.primary_key.columns
        same = (each == getattr(process, each.name) for each in key)
        self._changed(delete(processes).where(*same))

    def running(self, now: datetime) -> list[Process]:
        """Return those that were heard of lately."""
        query = select(processes).where(processes.c.seen_at >= now - SILENCE)
        return self._all(Process, query.order_by(processes.c.program, processes.c.host))

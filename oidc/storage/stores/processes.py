"""Store of the processes that run: an upgrade has to know the oldest."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import delete, select

from oidc.plumbing.store import Store, values_of
from oidc.storage import schema as t
from oidc.types import Process

SILENCE: Final = timedelta(minutes=2)
"""After which a process has ended without a word."""


class ProcessStore(Store):
    """Processes tell that they run, again and again."""

    def put(self, process: Process) -> None:
        """Add a process, or renew its row."""
        self._put(t.processes, values_of(process, t.processes))

    def delete(self, process: Process) -> None:
        """Delete a process that ends."""
        key = t.processes.primary_key.columns
        same = (each == getattr(process, each.name) for each in key)
        self._changed(delete(t.processes).where(*same))

    def running(self, now: datetime) -> list[Process]:
        """Return those that were heard of lately."""
        query = select(t.processes).where(t.processes.c.seen_at >= now - SILENCE)
        return self._all(Process, query.order_by(t.processes.c.program, t.processes.c.host))

"""The audit log, a hash chain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Final

from sqlalchemy import Row, delete, func, insert, select

from mobile_api.observability.audit import Event
from mobile_api.storage import schema as t
from mobile_api.storage.stores.store import Store
from oidc.types import AuditEntry

_AUDIT_LOCK: Final = 7_226_002
"""PostgreSQL advisory lock for appending."""

_NEWEST: Final = select(t.audit_entries).order_by(t.audit_entries.c.position.desc()).limit(1)
_APPEND: Final = insert(t.audit_entries)


class Audit(Store):
    """The audit log."""

    def append(self, event: Event, at: datetime, details: Mapping[str, int | str]) -> None:
        """Append an entry. Call it last in a transaction: it waits for other writers.

        Atomic: concurrent transactions extend one chain.
        """
        if self.connection.dialect.name == "postgresql":
            self.connection.execute(select(func.pg_advisory_xact_lock(_AUDIT_LOCK)))
        row = self.connection.execute(_NEWEST).one_or_none()
        entry = AuditEntry.after(None if row is None else _entry(row), event, at, details)
        values = {each.name: getattr(entry, each.name) for each in t.audit_entries.c}
        self.connection.execute(_APPEND, values)

    def entries(self, after: int = 0) -> Iterator[AuditEntry]:
        """Yield the entries after a position, oldest first."""
        entries = t.audit_entries.c
        rows = self.connection.execute(
            select(t.audit_entries).where(entries.position > after).order_by(entries.position)
        )
        yield from map(_entry, rows)

    def purge(self, before: datetime) -> None:
        """Delete entries older than this, except the newest of them: the chain needs it."""
        entries = t.audit_entries.c
        newest = select(func.max(entries.position)).where(entries.at < before)
        self.connection.execute(
            delete(t.audit_entries).where(entries.position < newest.scalar_subquery())
        )


def _entry(row: Row[tuple[int, datetime, str, str, bytes]]) -> AuditEntry:
    return AuditEntry(row.position, row.at, row.event, row.details, bytes(row.digest))

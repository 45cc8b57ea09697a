"""The audit chain in SQL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Final

from sqlalchemy import delete, func, insert, select

from mobile_api.audit import START, Entry, Event, digest_of, written
from mobile_api.storage import tables as t
from mobile_api.storage.sql_store import SqlStore

_AUDIT_LOCK: Final = 7_226_002
"""Names the advisory lock under which the chain grows on PostgreSQL."""


class SqlAudit(SqlStore):
    """Implements ``storage.audit.Audit``."""

    def append(self, event: Event, at: datetime, details: Mapping[str, int | str]) -> None:
        """Add an entry at the end."""
        if self.connection.dialect.name == "postgresql":
            self.connection.execute(select(func.pg_advisory_xact_lock(_AUDIT_LOCK)))
        entries = t.audit_entries.c
        last = self.connection.execute(
            select(entries.position, entries.digest).order_by(entries.position.desc()).limit(1)
        ).one_or_none()
        position, before = (last.position, last.digest) if last else (0, START)
        at = at.replace(microsecond=at.microsecond // 1000 * 1000)
        text = written(details)
        self.connection.execute(
            insert(t.audit_entries).values(
                position=position + 1,
                at=at,
                event=event.value,
                details=text,
                digest=digest_of(before, position + 1, at, event.value, text),
            )
        )

    def entries(self, after: int = 0) -> Iterator[Entry]:
        """Give the entries after a position, oldest first."""
        entries = t.audit_entries.c
        rows = self.connection.execute(
            select(t.audit_entries).where(entries.position > after).order_by(entries.position)
        )
        for row in rows:
            yield Entry(row.position, row.at, row.event, row.details, bytes(row.digest))

    def purge(self, before: datetime) -> None:
        """Forget entries older than this, but the newest of them: the chain hangs on it."""
        entries = t.audit_entries.c
        newest = select(func.max(entries.position)).where(entries.at < before)
        self.connection.execute(
            delete(t.audit_entries).where(entries.position < newest.scalar_subquery())
        )

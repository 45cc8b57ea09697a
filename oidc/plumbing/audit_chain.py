"""An audit log in SQL: a hash chain of entries, in a table of either database."""

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from enum import StrEnum
from functools import cache

from sqlalchemy import Connection, Executable, Row, Table, delete, func, insert, select

from oidc.plumbing.audit_entry import AuditEntry
from oidc.plumbing.columns import day_of
from oidc.plumbing.store import Store


class AuditChain(Store):
    """Appends to and reads an audit log.

    Args:
        connection: in a transaction.
        entries: the table; its columns are the fields of ``AuditEntry``.
        lock: number of the advisory lock for appending on PostgreSQL.
        exact: events whose time is kept; of others, which are of people, only the day is.
    """

    def __init__(
        self, connection: Connection, entries: Table, lock: int, exact: Collection[StrEnum] = ()
    ) -> None:
        super().__init__(connection)
        self._entries, self._lock, self._exact = entries, lock, exact

    def append(self, event: StrEnum, at: datetime, details: Mapping[str, int | str]) -> None:
        """Append an entry. Call it last in a transaction: it waits for other writers.

        Atomic: concurrent transactions extend one chain.
        """
        if self._connection.dialect.name == "postgresql":
            self._connection.execute(select(func.pg_advisory_xact_lock(self._lock)))
        at = at if event in self._exact else day_of(at)
        row = self._connection.execute(_newest(self._entries)).one_or_none()
        entry = AuditEntry.after(None if row is None else _entry(row), event, at, details)
        values = {each.name: getattr(entry, each.name) for each in self._entries.c}
        self._connection.execute(insert(self._entries), values)

    def entries(self, after: int = 0) -> Iterator[AuditEntry]:
        """Yield the entries after a position, oldest first."""
        position = self._entries.c.position
        query = select(self._entries).where(position > after).order_by(position)
        yield from map(_entry, self._connection.execute(query))

    def purge(self, before: datetime) -> None:
        """Delete older entries, except the newest of them: the chain continues from it."""
        columns = self._entries.c
        newest = select(func.max(columns.position)).where(columns.at < before)
        over = columns.position < newest.scalar_subquery()
        self._connection.execute(delete(self._entries).where(over))


@cache
def _newest(entries: Table) -> Executable:
    return select(entries).order_by(entries.c.position.desc()).limit(1)


def _entry(row: Row[tuple[int, datetime, str, str, bytes]]) -> AuditEntry:
    return AuditEntry(row.position, row.at, row.event, row.details, bytes(row.digest))

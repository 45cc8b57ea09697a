"""Store of the audit log: a hash chain of events about clients, keys, developers and grants.

No entry names a person: no account, subject, login or address.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from sqlalchemy import delete, func, insert, select

from oidc.storage.schema import audit_entries, login_tallies
from oidc.storage.stores.store import Store
from oidc.types import AuditEntry

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from sqlalchemy import Connection, Row

    from oidc.storage.stores.logins import Ended
    from oidc.types import AuditEvent


class Actor(StrEnum):
    """Who acts, where an operator's command could do the same."""

    CLIENT = "client"
    DEVELOPER = "developer"


_LOCK: Final = 0x7468_656E_6175
"""Arbitrary number of the advisory lock for appending on PostgreSQL."""


class AuditStore(Store):
    """Appends to and reads the audit log."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._recorded: list[tuple[AuditEvent, datetime, dict[str, int | str]]] = []
        self._actor: dict[str, int | str] = {}

    def set_actor(self, actor: Actor) -> None:
        """Set who causes the entries recorded next; the default is an operator."""
        self._actor = {"by": actor.value}

    def record(self, event: AuditEvent, at: datetime, **details: int | str) -> None:
        """Append an entry at the end of this transaction.

        Atomic: concurrent transactions build one chain.
        """
        self._recorded.append((event, at, self._actor | details))

    def append_recorded(self) -> None:
        """Write the recorded entries. Last in a transaction, because it takes a lock."""
        if not self._recorded:
            return
        if self._connection.dialect.name == "postgresql":
            self._connection.execute(select(func.pg_advisory_xact_lock(_LOCK)))
        newest = select(audit_entries).order_by(audit_entries.c.position.desc()).limit(1)
        row = self._connection.execute(newest).one_or_none()
        last = None if row is None else _entry(row)
        for event, at, details in self._recorded:
            last = AuditEntry.after(last, event, at, details)
            values = {each.name: getattr(last, each.name) for each in audit_entries.c}
            self._connection.execute(insert(audit_entries).values(values))
        self._recorded.clear()

    def tally(self, ended: Mapping[Ended, int]) -> None:
        """Count ended logins by hour and state."""
        key = [login_tallies.c.hour, login_tallies.c.state]
        # In one order, so that concurrent sweeps cannot deadlock.
        for each, count in sorted(ended.items()):
            new = self._insert(login_tallies).values(
                hour=each.hour, state=each.state, count=count
            )
            more = {"count": login_tallies.c.count + new.excluded.count}
            self._connection.execute(new.on_conflict_do_update(index_elements=key, set_=more))

    def pop_tallies(self, before: datetime) -> dict[datetime, dict[str, int]]:
        """Return and delete the counts of hours before then, by hour and state.

        Atomic: of two concurrent calls, one gets an hour.
        """
        over = delete(login_tallies).where(login_tallies.c.hour < before)
        taken: dict[datetime, dict[str, int]] = {}
        for row in self._connection.execute(over.returning(login_tallies)).mappings():
            taken.setdefault(row["hour"], {})[row["state"]] = row["count"]
        return taken

    def entries(self, after: int = 0) -> Iterator[AuditEntry]:
        """Iterate over the entries after a position, oldest first."""
        position = audit_entries.c.position
        query = select(audit_entries).where(position > after).order_by(position)
        yield from map(_entry, self._connection.execute(query))

    def purge(self, before: datetime) -> None:
        """Delete older entries, except the newest of them: the chain continues from it."""
        columns = audit_entries.c
        newest = select(func.max(columns.position)).where(columns.at < before)
        over = columns.position < newest.scalar_subquery()
        self._connection.execute(delete(audit_entries).where(over))


def _entry(row: Row[tuple[int, datetime, str, str, bytes]]) -> AuditEntry:
    return AuditEntry(row.position, row.at, row.event, row.details, bytes(row.digest))

"""Store of the audit log: a hash chain of events about clients, keys, developers and grants.

No entry names a person: no account, subject, login or address.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Final

from sqlalchemy import Connection, delete

from oidc.plumbing.audit_chain import AuditChain
from oidc.storage import schema as t
from oidc.storage.stores.logins.logins import Ended
from oidc.types import AuditEvent


class Actor(StrEnum):
    """Who acts, where an operator's command could do the same."""

    CLIENT = "client"
    DEVELOPER = "developer"


_EXACT: Final = frozenset(AuditEvent) - {
    AuditEvent.PSEUDONYM_WITHDRAWN,
    AuditEvent.ACCOUNT_FORGOTTEN,
    AuditEvent.LOGIN_REPORTED,
    AuditEvent.SIGN_INS_ENDED,
}
"""Events caused by operators, developers and clients."""

_LOCK: Final = 0x7468_656E_6175
"""Arbitrary number of the advisory lock for appending on PostgreSQL."""


class AuditStore(AuditChain):
    """Appends to and reads the audit log."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection, t.audit_entries, _LOCK, _EXACT)
        self._recorded: list[tuple[AuditEvent, datetime, dict[str, int | str]]] = []
        self._actor: dict[str, int | str] = {}

    def set_actor(self, actor: Actor, actor_id: str | None = None) -> None:
        """Set who causes the entries recorded next; the default is an operator."""
        self._actor = {"by": actor.value}
        if actor_id is not None:
            self._actor["by_id"] = actor_id

    @property
    def actor(self) -> Mapping[str, int | str]:
        """Who causes the entries; empty for an operator."""
        return self._actor

    def record(self, event: AuditEvent, at: datetime, **details: int | str) -> None:
        """Append an entry at the end of this transaction.

        Atomic: concurrent transactions build one chain.
        """
        self._recorded.append((event, at, self._actor | details))

    def append_recorded(self) -> None:
        """Write the recorded entries. Last in a transaction, because it takes a lock."""
        for event, at, details in self._recorded:
            self.append(event, at, details)
        self._recorded.clear()

    def tally(self, ended: Mapping[Ended, int]) -> None:
        """Count ended logins by hour and state."""
        counts = Counter[tuple[object, ...]]()
        for each, count in ended.items():
            counts[each.hour, each.state] += count
        self._add_counts(t.login_tallies, counts)

    def pop_tallies(self, before: datetime) -> dict[datetime, dict[str, int]]:
        """Return and delete the counts of hours before then, by hour and state.

        Atomic: of two concurrent calls, one gets an hour.
        """
        over = delete(t.login_tallies).where(t.login_tallies.c.hour < before)
        taken: dict[datetime, dict[str, int]] = {}
        for row in self._connection.execute(over.returning(t.login_tallies)).mappings():
            taken.setdefault(row["hour"], {})[row["state"]] = row["count"]
        return taken

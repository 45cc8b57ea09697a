"""Store of the audit log: a hash chain of events about clients, keys, developers and grants.

No entry names a person: no account, subject, login or address.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from oidc.storage.logins import Ended
    from oidc.types import AuditEntry, AuditEvent


class Actor(StrEnum):
    """Who acts, where an operator's command could do the same."""

    CLIENT = "client"
    DEVELOPER = "developer"


class AuditStore(Protocol):
    """Appends to and reads the audit log."""

    def set_actor(self, actor: Actor) -> None:
        """Set who causes the entries recorded next; the default is an operator."""

    def record(self, event: AuditEvent, at: datetime, **details: int | str) -> None:
        """Append an entry at the end of this transaction.

        Atomic: concurrent transactions build one chain.
        """

    def tally(self, ended: Mapping[Ended, int]) -> None:
        """Count ended logins by hour and state."""

    def pop_tallies(self, before: datetime) -> dict[datetime, dict[str, int]]:
        """Return and delete the counts of hours before then, by hour and state.

        Atomic: of two concurrent calls, one gets an hour.
        """

    def entries(self, after: int = 0) -> Iterator[AuditEntry]:
        """Iterate over the entries after a position, oldest first."""

    def purge(self, before: datetime) -> None:
        """Delete older entries, except the newest of them: the chain continues from it."""

"""Port: what happened to clients, keys, developers and grants, in order, sealed as a chain.

No entry names a person: no account, no subject, no login, no address. What happens to people
names no client either where several clients could be joined by it.
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
    """Who does something that an operator's command could do, too."""

    CLIENT = "client"
    DEVELOPER = "developer"


class AuditStore(Protocol):
    """A chain of entries."""

    def set_actor(self, actor: Actor) -> None:
        """Say who does what is noted from here on in this transaction; before: an operator."""

    def record(self, event: AuditEvent, at: datetime, **details: int | str) -> None:
        """Add an entry, written as the last thing the transaction does; nothing if that fails.

        Atomic: concurrent transactions make one chain.
        """

    def tally(self, ended: Mapping[Ended, int]) -> None:
        """Add to how many logins of an hour ended how, until that hour is noted."""

    def pop_tallies(self, before: datetime) -> dict[datetime, dict[str, int]]:
        """Return and forget the tallies of hours before then: by hour, then by state.

        Atomic: of two concurrent calls one gets an hour.
        """

    def entries(self, after: int = 0) -> Iterator[AuditEntry]:
        """Give the entries after a position, oldest first."""

    def purge(self, before: datetime) -> None:
        """Forget entries older than this, but the newest of them: the chain hangs on it."""

"""A database in which somebody else is faster, once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import datetime

from oidc.storage.logins import Login
from oidc.storage.sql.database import Database, SqlStores
from oidc.storage.transactions import AsyncTransactions


class RivalDatabase:
    """Lets a rival move a login between our reading it and our first move.

    The rival's move is a real one: a mismatch that it counts in its own transaction's place.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._rival_waits = True

    def read(self) -> AbstractContextManager[SqlStores]:
        """Open a transaction that only reads."""
        return self._database.read()

    @property
    def asynchronous(self) -> AsyncTransactions:
        """Reads and writes for an event loop."""
        return self._database.asynchronous

    def close(self) -> None:
        """Close every idle connection."""
        self._database.close()

    @contextmanager
    def write(self) -> Iterator[SqlStores]:
        """Open a transaction whose first move comes too late."""
        with self._database.write() as stores:
            honest = stores.logins.move

            def move(before: Login, after: Login, now: datetime) -> bool:
                if self._rival_waits:
                    self._rival_waits = False
                    theirs = replace(before, seq=before.seq + 1, attempts=before.attempts + 1)
                    assert honest(before, theirs, now)
                return honest(before, after, now)

            stores.logins.move = move  # type: ignore[method-assign]
            yield stores

"""A database in which another writer is faster, once."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime

from oidc.storage.database import Database, Stores
from oidc.storage.stores.logins import Login


class RivalDatabase(Database):
    """Lets a rival move a login between our reading it and our first move.

    The rival's move is a real one: a mismatch that it counts in its own transaction's place.
    """

    def __init__(self, database: Database) -> None:
        super().__init__(database.engine)
        self._rival_waits = True

    @contextmanager
    def write(self) -> Iterator[Stores]:
        """Open a transaction whose first move comes too late."""
        with super().write() as stores:
            honest = stores.logins.move

            def move(before: Login, after: Login, now: datetime) -> bool:
                if self._rival_waits:
                    self._rival_waits = False
                    theirs = replace(before, seq=before.seq + 1, attempts=before.attempts + 1)
                    assert honest(before, theirs, now)
                return honest(before, after, now)

            stores.logins.move = move  # type: ignore[method-assign]
            yield stores

"""One at a time among all processes that share a database: for work outside of it.

PostgreSQL keeps an advisory lock for the transaction, and so for the process, that holds it:
one of its own that touches nothing, so that nobody who enrols waits for it, and that a pooler
leaves on its connection. Processes that share a file of SQLite share a machine: they lock a
file beside it.
"""

from __future__ import annotations

import fcntl
import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sqlalchemy import Engine, text

_LOCKS: Final[dict[str, threading.Lock]] = {}
_LOCKS_LOCK: Final = threading.Lock()


@contextmanager
def taking_turns(engine: Engine, work: str) -> Iterator[None]:
    """Keep everybody else, here and elsewhere, out of a piece of work.

    Args:
        engine: of the database that the processes share.
        work: its name.
    """
    with _lock(work):
        if engine.dialect.name == "postgresql":
            with _advised(engine, work):
                yield
        elif engine.url.database in {None, "", ":memory:"}:
            yield
        else:
            with _beside(Path(str(engine.url.database)), work):
                yield


def _lock(work: str) -> threading.Lock:
    """Return this process's lock for a piece of work."""
    with _LOCKS_LOCK:
        return _LOCKS.setdefault(work, threading.Lock())


@contextmanager
def _advised(engine: Engine, work: str) -> Iterator[None]:
    digest = hashlib.sha256(work.encode()).digest()
    key = {"key": int.from_bytes(digest[:8], "big", signed=True)}
    with engine.connect() as connection, connection.begin() as transaction:
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), key)
        try:
            yield
        finally:
            transaction.rollback()


@contextmanager
def _beside(database: Path, work: str) -> Iterator[None]:
    digest = hashlib.sha256(work.encode()).hexdigest()[:16]
    with database.with_name(f"{database.name}.turn-{digest}").open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # let go when the file is closed
        yield

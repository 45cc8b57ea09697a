"""A lock across all processes that share a database, for work outside of it.

PostgreSQL: an advisory lock in its own transaction, which survives a pooler. SQLite: a lock
file.
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

from oidc.plumbing.patience import ENDLESS, patience

_LOCKS: Final[dict[str, threading.Lock]] = {}
_LOCKS_LOCK: Final = threading.Lock()


@contextmanager
def process_lock(engine: Engine, name: str) -> Iterator[None]:
    """Hold a named lock, in this process and across processes."""
    with _thread_lock(name):
        if engine.dialect.name == "postgresql":
            with _advisory_lock(engine, name):
                yield
        elif engine.url.database in {None, "", ":memory:"}:
            yield
        else:
            with _file_lock(Path(str(engine.url.database)), name):
                yield


def _thread_lock(name: str) -> threading.Lock:
    """Return this process's lock of that name."""
    with _LOCKS_LOCK:
        return _LOCKS.setdefault(name, threading.Lock())


@contextmanager
def _advisory_lock(engine: Engine, name: str) -> Iterator[None]:
    digest = hashlib.sha256(name.encode()).digest()
    key = {"key": int.from_bytes(digest[:8], "big", signed=True)}
    with engine.connect() as connection:
        with patience(ENDLESS):  # what is done under the lock may take long
            begun = connection.begin()
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), key)
        try:
            yield
        finally:
            begun.rollback()


@contextmanager
def _file_lock(database: Path, name: str) -> Iterator[None]:
    digest = hashlib.sha256(name.encode()).hexdigest()[:16]
    with database.with_name(f"{database.name}.turn-{digest}").open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # let go when the file is closed
        yield

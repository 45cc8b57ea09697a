"""How long a PostgreSQL server, another transaction and this program are waited for.

It belongs to the context: requests, jobs and migrations share their connections. Loads
nothing, as commands do that need no database.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Patience:
    """Limits in whole seconds; 0: none.

    Attributes:
        answer_s: until the server answers a statement, a commit or a rollback.
        lock_s: until a transaction has a lock of another one.
        idle_s: between two statements of a transaction. Then the server ends it, and others
            get its locks: after a network parted, nothing more comes.
    """

    answer_s: int
    lock_s: int
    idle_s: int


REQUESTS: Final = Patience(answer_s=10, lock_s=8, idle_s=5)
"""A lock whose holder has gone is free before its next one gives up."""

JOBS: Final = Patience(answer_s=300, lock_s=8, idle_s=60)
"""For statements on whole tables."""

ENDLESS: Final = Patience(answer_s=0, lock_s=0, idle_s=0)
"""For migrations, and locks that are held during other work."""

_current: Final = ContextVar("patience", default=REQUESTS)
current_patience: Final = _current.get


@contextmanager
def patience(allowed: Patience) -> Iterator[None]:
    """Wait so long in this context; also a decorator."""
    token = _current.set(allowed)
    try:
        yield
    finally:
        _current.reset(token)

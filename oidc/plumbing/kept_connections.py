"""Keeps connections to a SQLite file between transactions.

The pool and the new ``Connection`` of each transaction cost more than a statement. A file has
no pool: no thread waits for a connection. A server's connections go back to its pool, which
checks them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy import Connection, Engine

MOST_KEPT: Final = 8
"""Idle connections of one kind that stay open."""


class KeptConnections:
    """Gives connections of an engine, each to one thread at a time. Thread-safe."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._keeps = engine.dialect.name == "sqlite"
        self._idle: deque[Connection] = deque()

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """Give a connection; after a fault it is closed."""
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self._engine.connect()
        try:
            yield connection
            if connection.in_transaction():
                connection.rollback()
        except BaseException:
            connection.close()
            raise
        if self._keeps and len(self._idle) < MOST_KEPT:
            self._idle.append(connection)
        else:
            connection.close()

    def close(self) -> None:
        """Close unused ones."""
        while self._idle:
            self._idle.pop().close()

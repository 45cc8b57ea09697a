"""A readers-writer lock: a search must not see a change that is half made."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Condition, Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class ReadersWriterLock:
    """Admits readers together, a writer alone. Not re-entrant."""

    def __init__(self) -> None:
        self._turn = Lock()
        self._left = Condition()
        self._reader_count = 0

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Hold the lock with other readers."""
        with self._turn, self._left:
            self._reader_count += 1
        try:
            yield
        finally:
            with self._left:
                self._reader_count -= 1
                self._left.notify_all()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the lock alone."""
        with self._turn:
            with self._left:
                self._left.wait_for(lambda: self._reader_count == 0)
            yield

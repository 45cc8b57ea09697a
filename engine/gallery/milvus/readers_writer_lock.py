"""A readers-writer lock: a search must not see a change that is half made."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Condition
from typing import TYPE_CHECKING

from engine.gallery.rows.fair_lock import FairLock

if TYPE_CHECKING:
    from collections.abc import Iterator


class ReadersWriterLock:
    """Admits readers together, a writer alone, in the order of requests. Not re-entrant."""

    def __init__(self) -> None:
        self._turn = FairLock()
        self._left = Condition()
        self._reader_count = 0

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Hold the lock with other readers."""
        with self._turn.locked(), self._left:
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
        with self._turn.locked():
            with self._left:
                self._left.wait_for(lambda: self._reader_count == 0)
            yield

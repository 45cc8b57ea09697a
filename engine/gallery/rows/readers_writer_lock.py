"""A readers-writer lock. FAISS crashes if an index is searched while it grows."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Condition
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class ReadersWriterLock:
    """Admits readers together, a writer alone; waiting writers first. Not re-entrant."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._reader_count = 0
        self._waiting_writer_count = 0
        self._is_writing = False

    @property
    def has_waiting_writer(self) -> bool:
        """Whether a writer waits."""
        return self._waiting_writer_count > 0

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Hold the lock with other readers."""
        with self._changed:
            self._changed.wait_for(
                lambda: not self._is_writing and self._waiting_writer_count == 0
            )
            self._reader_count += 1
        try:
            yield
        finally:
            with self._changed:
                self._reader_count -= 1
                self._changed.notify_all()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the lock alone."""
        with self._changed:
            self._waiting_writer_count += 1
            try:
                self._changed.wait_for(lambda: not self._is_writing and self._reader_count == 0)
                self._is_writing = True
            finally:
                self._waiting_writer_count -= 1
        try:
            yield
        finally:
            with self._changed:
                self._is_writing = False
                self._changed.notify_all()

"""A lock granted in the order of requests.

Python's own lock is not fair: a thread that changes a gallery without a pause could keep a
search waiting forever.
"""

from __future__ import annotations

from collections import deque
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class FairLock:
    """Held by one thread, then by the one that waits longest. Not re-entrant."""

    def __init__(self) -> None:
        self._inner = Lock()
        self._is_held = False
        self._waiting: deque[Lock] = deque()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Wait for the lock and hold it."""
        self._acquire()
        try:
            yield
        finally:
            self._release()

    def _acquire(self) -> None:
        with self._inner:
            if not self._is_held:
                self._is_held = True
                return
            waiter = Lock()
            waiter.acquire()
            self._waiting.append(waiter)
        waiter.acquire()

    def _release(self) -> None:
        with self._inner:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._is_held = False

"""A lock that is got in the order in which it was asked for.

Python's own lock goes to whoever is quickest: threads that change a gallery without a pause
would keep a search waiting for as long as they please.
"""

from __future__ import annotations

from collections import deque
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class FairLock:
    """Held by one thread; handed on to the one that waits longest. Not re-entrant."""

    def __init__(self) -> None:
        self._inner = Lock()
        self._is_held = False
        self._waiting: deque[Lock] = deque()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Wait until the lock is free, and hold the lock."""
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

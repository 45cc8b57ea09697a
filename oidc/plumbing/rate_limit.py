"""Rate limits in memory, for each process alone."""

from __future__ import annotations

import math
from threading import Lock
from time import monotonic
from typing import Final

MINUTE_S: Final = 60


class RateLimit:
    """Counts events by key in a sliding window; ``most`` 0: no limit. Thread-safe.

    The window before counts by as much of it as the sliding window still covers. Two
    dictionaries hold all keys, so that an event costs the same however many there are.
    """

    def __init__(self, most: int, window_s: int) -> None:
        self._most, self._window_s = most, window_s
        self._lock = Lock()
        self._number = 0
        self._now: dict[str, int] = {}
        self._before: dict[str, int] = {}

    def count(self, key: str) -> int:
        """Count an event and return 0; without room, return the seconds to wait."""
        return self._wait_s(key, counts=1)

    def wait_s(self, key: str) -> int:
        """Return the seconds to wait for room; counts nothing."""
        return self._wait_s(key, counts=0)

    def _wait_s(self, key: str, *, counts: int) -> int:
        if not self._most:
            return 0
        with self._lock:
            passed = self._advance()
            before, now = self._before.get(key, 0), self._now.get(key, 0)
            if before * (1 - passed) + now + 1 > self._most:
                return max(1, math.ceil(self._until_room(before, now, passed)))
            if counts:
                self._now[key] = now + counts
            return 0

    def _advance(self) -> float:
        """Begin a new window if it is time; return the share of it that has passed."""
        number, passed = divmod(monotonic() / self._window_s, 1)
        if number != self._number:
            is_next = number == self._number + 1
            self._before, self._now = (self._now if is_next else {}), {}
            self._number = int(number)
        return passed

    def _until_room(self, before: int, now: int, passed: float) -> float:
        """Return the seconds until the counts have faded enough for one more."""
        room = self._most - 1
        if now <= room:  # the window before fades within this one
            share = 1 - (room - now) / before - passed
        else:  # this one fades within the next
            share = 1 - passed + 1 - room / now
        return share * self._window_s

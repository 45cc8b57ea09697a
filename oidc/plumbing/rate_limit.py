"""Rate limits in memory, for each process alone."""

from __future__ import annotations

import math
import time
from typing import Final

from limits import RateLimitItemPerSecond
from limits.storage import MemoryStorage
from limits.strategies import SlidingWindowCounterRateLimiter

MINUTE_S: Final = 60


class RateLimit:
    """Counts events by key in a sliding window; ``most`` 0: no limit. Thread-safe."""

    def __init__(self, most: int, window_s: int) -> None:
        self._item = RateLimitItemPerSecond(most, window_s) if most else None
        self._limiter = SlidingWindowCounterRateLimiter(MemoryStorage())

    def count(self, key: str) -> int:
        """Count an event and return 0; without room, return the seconds to wait."""
        if self._item is None or self._limiter.hit(self._item, key):
            return 0
        return self._until_end(self._item, key)

    def wait_s(self, key: str) -> int:
        """Return the seconds to wait for room; counts nothing."""
        if self._item is None or self._limiter.test(self._item, key):
            return 0
        return self._until_end(self._item, key)

    def _until_end(self, item: RateLimitItemPerSecond, key: str) -> int:
        end = self._limiter.get_window_stats(item, key).reset_time
        return max(1, math.ceil(end - time.time()))  # noqa: TID251 -- its clock

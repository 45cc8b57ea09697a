"""Rate limits in memory, for each process alone.

Limits across processes and restarts are in the database: see ``attempts``.
"""

from __future__ import annotations

import math
import time

from limits import RateLimitItemPerSecond
from limits.storage import MemoryStorage
from limits.strategies import SlidingWindowCounterRateLimiter

from mobile_api.errors import TooManyRequests


class RateLimit:
    """A sliding-window rate limit; ``most`` 0 means no limit."""

    def __init__(self, most: int, window_s: int) -> None:
        self._item = RateLimitItemPerSecond(most, window_s) if most else None
        self._limiter = SlidingWindowCounterRateLimiter(MemoryStorage())

    def require(self, key: str) -> None:
        """Count one request of a key, or raise TooManyRequests."""
        if self._item is None or self._limiter.hit(self._item, key):
            return
        end = self._limiter.get_window_stats(self._item, key).reset_time
        raise TooManyRequests(max(1, math.ceil(end - time.time())))  # noqa: TID251 -- its clock

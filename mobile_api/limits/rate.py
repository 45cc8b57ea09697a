"""How many requests one key may make in a time: counted in memory, by each process for itself.

What must hold across processes, and across restarts, is counted in the database: see
``attempts``.
"""

from __future__ import annotations

import math
import time

from limits import RateLimitItemPerSecond
from limits.storage import MemoryStorage
from limits.strategies import SlidingWindowCounterRateLimiter

from mobile_api.errors import TooManyRequests


class RateLimit:
    """At most so many within a window that moves along.

    Args:
        most: how many; 0 means that there is no limit.
        window_s: within how many seconds.
    """

    def __init__(self, most: int, window_s: int) -> None:
        self._item = RateLimitItemPerSecond(most, window_s) if most else None
        self._limiter = SlidingWindowCounterRateLimiter(MemoryStorage())

    def require(self, key: str) -> None:
        """Count one more.

        Raises:
            TooManyRequests: there are enough of this key.
        """
        if self._item is None or self._limiter.hit(self._item, key):
            return
        end = self._limiter.get_window_stats(self._item, key).reset_time
        raise TooManyRequests(max(1, math.ceil(end - time.time())))  # noqa: TID251 -- its clock

"""Limits how many palms a device may present within 24 hours.

An attacker can approach a template step by step just by learning whether each try matches, so
every comparison counts, matches included. Device keys cost nothing, so networks and the total
of searches are limited too.

An attempt is counted before the palm is processed, and as a failed search until it is known to
be something else: neither concurrent requests nor a crash can bypass a limit. Enrolment samples
are searched when they arrive, but count only at the end, because only the end tells the result.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from mobile_api.errors import TooManyAttempts
from mobile_api.storage.transaction import Transaction
from mobile_api.types import AttemptLimits as AttemptLimits
from mobile_api.types import Device

WINDOW: Final = timedelta(hours=24)
"""Always the last 24 hours."""


def count(
    transaction: Transaction,
    device: Device,
    now: datetime,
    limits: AttemptLimits,
    *,
    searches: bool = False,
) -> int:
    """Count an attempt before its palm is processed; return its number.

    With ``searches`` it counts as a search without a match until it is cleared.

    Raises:
        TooManyAttempts: the device has to wait.
    """
    attempt = transaction.attempts.add(device, now, now - WINDOW, limits, failed=searches)
    if attempt is None:
        raise TooManyAttempts("too many palms from here within a day")
    return attempt

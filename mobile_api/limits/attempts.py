"""Limits how many palms a device may present within 24 hours.

An attacker can approach a template step by step by learning whether each try matches, so every
comparison counts, matches too. Device keys cost nothing, so networks and all searches together
are limited as well.

An attempt counts before its palm is processed, as a failed search until known otherwise:
neither concurrency nor a crash bypasses a limit. Enrolment samples count when their result is
told.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from mobile_api.errors import TooManyAttempts
from mobile_api.storage.transaction import Transaction
from mobile_api.types import AttemptLimits as AttemptLimits
from mobile_api.types import Device

WINDOW: Final = timedelta(hours=24)
"""The last 24 hours."""


def count(
    transaction: Transaction,
    device: Device,
    now: datetime,
    limits: AttemptLimits,
    *,
    searches: bool = False,
) -> int:
    """Count an attempt and return its number, or raise TooManyAttempts.

    With ``searches`` it counts as a search without a match until it is cleared.
    """
    attempt = transaction.attempts.add(device, now, now - WINDOW, limits, failed=searches)
    if attempt is None:
        raise TooManyAttempts("too many palms were presented within 24 hours")
    return attempt

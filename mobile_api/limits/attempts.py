"""How many palms one device may present within a day.

A template can be climbed towards by asking often enough whether something matches, without any
score, and half of those answers are yes: so everything that is compared counts, not failures
in a row. Keys of phones cost nothing, so networks count too, and searches in all.

An attempt is noted before anything is looked at, as a search without a match until it is known
to be something else: whatever comes at once, or dies in between, cannot pass a limit. Samples
of an enrolment are searched before (``mobile_api/enrolment/duplicate_check.py``), but what they gave is told at
its end alone: it counts then.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from mobile_api.errors import TooManyAttempts
from mobile_api.storage.transaction import Transaction
from mobile_api.types import AttemptLimits as AttemptLimits
from mobile_api.types import Device

WINDOW: Final = timedelta(hours=24)
"""The day that is counted: always the last 24 hours."""


def count(
    transaction: Transaction,
    device: Device,
    now: datetime,
    limits: AttemptLimits,
    *,
    searches: bool = False,
) -> int:
    """Note an attempt before anything is looked at; return its number.

    Args:
        transaction: where it is noted.
        device: whose attempt it is.
        now: aware, UTC.
        limits: how many there may be.
        searches: whether the whole gallery may be searched: then it counts as a search without
            a match until it is cleared.

    Raises:
        TooManyAttempts: the device has to wait.
    """
    attempt = transaction.attempts.add(device, now, now - WINDOW, limits, failed=searches)
    if attempt is None:
        raise TooManyAttempts("too many palms from here within a day")
    return attempt

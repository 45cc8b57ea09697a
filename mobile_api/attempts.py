"""How many palms one device may present within a day.

A template can be climbed towards by asking often enough whether something matches, without any
score, and half of those answers are yes: so everything that is compared counts, not failures
in a row.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from mobile_api.errors import TooManyAttempts
from mobile_api.storage.unit import Unit
from mobile_api.types import DeviceId

WINDOW: Final = timedelta(hours=24)
"""The day that is counted: always the last 24 hours."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How often within the window.

    Attributes:
        submissions: palms of any result.
        failed_identifications: searches of the gallery that matched nobody.
    """

    submissions: int
    failed_identifications: int


def spend(unit: Unit, device_id: DeviceId, now: datetime, limits: Limits) -> int:
    """Note an attempt before anything is compared; return its number.

    Raises:
        TooManyAttempts: the device has to wait.
    """
    attempt = unit.attempts.spend(
        device_id,
        now,
        now - WINDOW,
        most=limits.submissions,
        most_failed=limits.failed_identifications,
    )
    if attempt is None:
        raise TooManyAttempts("too many palms from this device within a day")
    return attempt

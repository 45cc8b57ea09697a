"""Limits how many palms a device may present within 24 hours.

An attacker can approach a template step by step by learning whether each try matches, so every
comparison counts, matches too. Device keys cost nothing, so networks and all devices together
are limited as well: see ``gallery_budget``.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from math import ceil
from typing import Final

from mobile_api.errors import TooManyAttempts
from mobile_api.storage.transaction import Transaction
from mobile_api.types import AttemptLimits as AttemptLimits
from mobile_api.types import Device, Question

WINDOW: Final = timedelta(hours=24)
"""The last 24 hours."""

_TOO_MANY: Final = "too many palms were presented within 24 hours"


def count(
    transaction: Transaction,
    device: Device,
    now: datetime,
    limits: AttemptLimits,
    question: Question = Question.NONE,
) -> int:
    """Count an attempt and return its number, or raise TooManyAttempts or DeviceUnknown.

    A question to the gallery counts as one without a match until it is cleared.
    """
    transaction.devices.hold(device.device_id)
    attempt = transaction.attempts.add(device, now, now - WINDOW, limits, question)
    if attempt is None:
        raise _too_many(transaction, device, now, limits)
    return attempt


def require_room(
    transaction: Transaction,
    device: Device,
    now: datetime,
    limits: AttemptLimits,
    question: Question,
) -> None:
    """Raise TooManyAttempts if an attempt could not be counted now."""
    if not transaction.attempts.has_room(device, now - WINDOW, limits, question):
        raise _too_many(transaction, device, now, limits)


def _too_many(
    transaction: Transaction, device: Device, now: datetime, limits: AttemptLimits
) -> TooManyAttempts:
    """Return the error, with the time after which this device itself has room again."""
    last = transaction.attempts.in_the_way(device, now - WINDOW, limits)
    if last is None:  # Others used up what is shared: nobody knows for how long.
        return TooManyAttempts(_TOO_MANY)
    return TooManyAttempts(_TOO_MANY, ceil((last + WINDOW - now).total_seconds()))

"""Days: finer times in both databases would tell whose they are."""

from __future__ import annotations

from datetime import datetime


def day_of(moment: datetime) -> datetime:
    """Return the start of its day, UTC."""
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)

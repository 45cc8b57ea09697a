"""A clock that a test sets."""

from datetime import UTC, datetime, timedelta


class FakeClock:
    """Stands still until it is moved."""

    def __init__(self, now: datetime = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)) -> None:
        self.now = now

    def __call__(self) -> datetime:
        """Return the time that was set."""
        return self.now

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.now += timedelta(seconds=seconds)

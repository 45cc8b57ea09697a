"""Retention periods, and deletion of what has exceeded them."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from datetime import datetime

ENDED_RETENTION: Final = timedelta(days=30)
"""Of unused invitations, initial access tokens and withdrawn pseudonyms, after their end."""

ERROR_RETENTION: Final = timedelta(days=90)
"""Of client errors, unless newer ones replace them."""


class RetentionStore(Protocol):
    """Deletes rows that no other store deletes."""

    def purge(self, now: datetime) -> None:
        """Delete rows past retention, retired keys and replaced secrets."""

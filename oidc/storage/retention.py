"""Port: what is kept for a while after it ended, so that an operator can look; then it goes."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from datetime import datetime

ENDED_RETENTION: Final = timedelta(days=30)
"""How long invitations nobody took, initial access tokens and withdrawn pseudonyms are kept
after their end. Nothing of a withdrawn pseudonym says whose it was."""

ERROR_RETENTION: Final = timedelta(days=90)
"""How long an error is shown to a client's developer, unless newer ones push it out."""


class RetentionStore(Protocol):
    """Forgets in time what nothing else removes."""

    def purge(self, now: datetime) -> None:
        """Delete what ended long enough ago, keys that verify nothing, secrets replaced."""

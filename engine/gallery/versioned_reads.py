"""Lock-free reads: a search notices what changed while it ran.

The version is odd during a change. A reader that sees the same even version before and after
has read one state (a sequence lock; Lameter 2005). Changed slots are logged, so that a scan of
milliseconds rechecks only those.
"""

from __future__ import annotations

from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

_LOG_SLOTS: Final = 1 << 16
"""Changed slots that are remembered. A search that outlasts them starts again."""


class VersionedReads:
    """The version of a gallery and the slots changed lately."""

    def __init__(self) -> None:
        self._mutex = Lock()
        self._version = 0
        self._touched = np.zeros(_LOG_SLOTS, np.int64)
        self._count = 0

    @contextmanager
    def write_lock(self) -> Iterator[None]:
        """Exclude other writers, and readers that need a lock. Lock-free readers go on."""
        with self._mutex:
            yield

    @contextmanager
    def change(self) -> Iterator[int]:
        """Make one change under ``write_lock``; yields its number, above 0."""
        self._version += 1
        try:
            yield self._version
        finally:
            self._version += 1

    def mark_changed(self, slots: NDArray[np.int64]) -> None:
        """Log slots that were filled or emptied, or whose row moved, within ``change``."""
        where = np.arange(self._count, self._count + len(slots)) % _LOG_SLOTS
        self._touched[where] = slots
        self._count += len(slots)

    def stable_version(self) -> int:
        """Return an even version; waits for a change in progress."""
        version = self._version
        if version % 2:
            with self._mutex:
                version = self._version
        return version

    def is_unchanged(self, version: int) -> bool:
        """Return whether ``stable_version`` would return this version again."""
        return self._version == version

    def start_after(self, change: int) -> None:
        """Continue the numbers after a change made before the gallery was opened."""
        self._version = change + change % 2

    @property
    def changed_count(self) -> int:
        """Slots logged so far."""
        return self._count

    def changed_since(self, count: int) -> NDArray[np.int64] | None:
        """Return the slots logged after this count; None if too many."""
        now = self._count
        if now - count > _LOG_SLOTS // 2:
            return None
        return self._touched[np.arange(count, now) % _LOG_SLOTS]

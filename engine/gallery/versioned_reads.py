"""How a search that holds no lock notices what changed beside it.

A version number is odd while a change is made: whoever read the same even number before and
after has read one state (a sequence lock; Lameter 2005). And the slots that changes touched are
listed, so that a reader who scanned for milliseconds looks at those again, not at everything.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import numpy as np

from engine.gallery.rows.fair_lock import FairLock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

_LOG_SLOTS: Final = 1 << 16
"""Touched slots that are remembered. A search that outlasts them starts again."""


class VersionedReads:
    """The version of a gallery and the slots touched lately."""

    def __init__(self) -> None:
        self._mutex = FairLock()
        self._version = 0
        self._touched = np.zeros(_LOG_SLOTS, np.int64)
        self._count = 0

    @contextmanager
    def write_lock(self) -> Iterator[None]:
        """Keep other writers, and readers who insist, out. Readers go on."""
        with self._mutex.locked():
            yield

    @contextmanager
    def change(self) -> Iterator[int]:
        """Make one change, within ``write_lock``; yields its number, above 0."""
        self._version += 1
        try:
            yield self._version
        finally:
            self._version += 1

    def mark_changed(self, slots: NDArray[np.int64]) -> None:
        """List slots that were filled or emptied, or whose row moved, within ``change``."""
        where = np.arange(self._count, self._count + len(slots)) % _LOG_SLOTS
        self._touched[where] = slots
        self._count += len(slots)

    def stable_version(self) -> int:
        """Return the version of a state in which no change is being made."""
        version = self._version
        if version % 2:
            with self._mutex.locked():
                version = self._version
        return version

    def is_unchanged(self, version: int) -> bool:
        """Tell whether nothing has changed since ``stable_version`` returned this version."""
        return self._version == version

    def start_after(self, change: int) -> None:
        """Count on from a change that was made before this gallery was opened."""
        self._version = change + change % 2

    @property
    def changed_count(self) -> int:
        """How many slots were ever touched."""
        return self._count

    def changed_since(self, count: int) -> NDArray[np.int64] | None:
        """Return the slots touched since the count was this; None if they are too many."""
        now = self._count
        if now - count > _LOG_SLOTS // 2:
            return None
        return self._touched[np.arange(count, now) % _LOG_SLOTS]

"""A share of live searches is made again, exactly, in the background, and differences counted.

A packed scan is measured on drawn palms; this shows what it does to the real ones. A search is
repeated exactly and packed, one after the other, so that both see the same references unless
the gallery changes in between; what differs is tried again before it counts.
"""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.types import Candidate, PalmTemplate

_QUEUE_LIMIT: Final = 8
"""Searches that may wait to be repeated; more are counted as dropped. Probes do not pile up."""

_ATTEMPTS: Final = 3
"""How often a difference must be seen in a row."""


class AuditableGallery(Protocol):
    """A gallery that can also search exactly."""

    def search(
        self, probes: Sequence[PalmTemplate], *, count: int = 20, exact: bool = False
    ) -> list[Candidate]:
        """Find the most similar groups, best first."""
        ...


@dataclass(frozen=True, slots=True)
class ShadowCounts:
    """What the shadow has seen since it was made: the metric.

    Attributes:
        repeated: searches made again exactly.
        differing: of these, searches whose best candidate was another one.
        dropped: searches that were drawn, but not repeated, because too many waited.
        failed: searches that could not be repeated.
    """

    repeated: int = 0
    differing: int = 0
    dropped: int = 0
    failed: int = 0


class ShadowSearch:
    """Repeats searches in a thread that lives as long as some wait: an idle one holds nothing.

    Args:
        gallery: gives the one to be searched.
        share: of the searches to be repeated, 0 to 1.
        chance: a number from 0 to below 1, anew with each call.
    """

    def __init__(
        self,
        gallery: Callable[[], AuditableGallery],
        share: float,
        *,
        chance: Callable[[], float],
    ) -> None:
        self._gallery, self._share, self._chance = gallery, share, chance
        self._waiting: deque[Sequence[PalmTemplate]] = deque()
        self._lock = threading.Lock()
        self._counts = ShadowCounts()
        self._thread: threading.Thread | None = None

    @property
    def counts(self) -> ShadowCounts:
        """What was seen so far."""
        return self._counts

    def search(self, probes: Sequence[PalmTemplate], *, count: int = 20) -> list[Candidate]:
        """Search, and perhaps have the search repeated. See ``Gallery.search``."""
        candidates = self._gallery().search(probes, count=count)
        if self._chance() < self._share:
            self._enqueue(tuple(probes))
        return candidates

    def close(self) -> None:
        """Repeat what waits."""
        thread = self._thread
        if thread is not None:
            thread.join()

    def _enqueue(self, probes: Sequence[PalmTemplate]) -> None:
        """Let a search be repeated, unless too many wait."""
        with self._lock:
            if len(self._waiting) >= _QUEUE_LIMIT:
                self._add(dropped=1)
                return
            self._waiting.append(probes)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="shadow", daemon=True)
                self._thread.start()

    def _next(self) -> Sequence[PalmTemplate] | None:
        """Return whose search is to be repeated; None ends the thread."""
        with self._lock:
            if self._waiting:
                return self._waiting.popleft()
            self._thread = None
            return None

    def _work(self) -> None:
        """Repeat searches until none waits."""
        while (probes := self._next()) is not None:
            try:
                differing = self._differs(probes)
            except Exception:  # the main loop of a thread: counted, and on it goes
                counts = {"failed": 1}
            else:
                counts = {"repeated": 1, "differing": int(differing)}
            with self._lock:
                self._add(**counts)

    def _differs(self, probes: Sequence[PalmTemplate]) -> bool:
        """Tell whether an exact search finds somebody else."""
        gallery = self._gallery()
        return all(
            gallery.search(probes, count=1) != gallery.search(probes, count=1, exact=True)
            for _ in range(_ATTEMPTS)
        )

    def _add(
        self, *, repeated: int = 0, differing: int = 0, dropped: int = 0, failed: int = 0
    ) -> None:
        """Count; the lock is held."""
        old = self._counts
        self._counts = ShadowCounts(
            old.repeated + repeated,
            old.differing + differing,
            old.dropped + dropped,
            old.failed + failed,
        )

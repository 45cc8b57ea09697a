"""A share of live searches is made again, exactly, in the background, and differences counted.

A packed scan is measured on drawn palms; this shows what it does to the real ones. A search is
repeated exactly and packed, one after the other, so that both see the same references unless
the gallery changes in between; what differs is tried again before it counts.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from queue import Full, Queue
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.types import Candidate, PalmTemplate

_WAITING: Final = 8
"""Searches that may wait to be repeated; more are counted as dropped. Probes do not pile up."""

_TRIES: Final = 3
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


class Shadow:
    """Repeats searches in a thread of its own.

    Args:
        gallery: to be searched.
        share: of the searches to be repeated, 0 to 1.
        chance: a number from 0 to below 1, anew with each call.
    """

    def __init__(
        self, gallery: AuditableGallery, share: float, *, chance: Callable[[], float]
    ) -> None:
        self._gallery, self._share, self._chance = gallery, share, chance
        self._queue: Queue[Sequence[PalmTemplate] | None] = Queue(_WAITING)
        self._lock = threading.Lock()
        self._counts = ShadowCounts()
        self._thread = threading.Thread(target=self._work, name="shadow", daemon=True)
        self._thread.start()

    @property
    def counts(self) -> ShadowCounts:
        """What was seen so far."""
        return self._counts

    def search(self, probes: Sequence[PalmTemplate], *, count: int = 20) -> list[Candidate]:
        """Search, and perhaps have the search repeated. See ``Gallery.search``."""
        candidates = self._gallery.search(probes, count=count)
        if self._chance() < self._share:
            try:
                self._queue.put_nowait(tuple(probes))
            except Full:
                self._add(dropped=1)
        return candidates

    def close(self) -> None:
        """Repeat what waits, and end the thread."""
        self._queue.put(None)
        self._thread.join()

    def _work(self) -> None:
        """Repeat searches until ``close``."""
        while (probes := self._queue.get()) is not None:
            try:
                differing = self._differs(probes)
            except Exception:  # the main loop of a thread: counted, and on it goes
                self._add(failed=1)
            else:
                self._add(repeated=1, differing=int(differing))

    def _differs(self, probes: Sequence[PalmTemplate]) -> bool:
        """Tell whether an exact search finds somebody else."""
        return all(
            self._gallery.search(probes, count=1)
            != self._gallery.search(probes, count=1, exact=True)
            for _ in range(_TRIES)
        )

    def _add(
        self, *, repeated: int = 0, differing: int = 0, dropped: int = 0, failed: int = 0
    ) -> None:
        """Count."""
        with self._lock:
            old = self._counts
            self._counts = ShadowCounts(
                old.repeated + repeated,
                old.differing + differing,
                old.dropped + dropped,
                old.failed + failed,
            )

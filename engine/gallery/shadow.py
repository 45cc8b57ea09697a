"""Repeats a share of live searches exactly, in the background, and counts differences.

Shows what the packed scan does to real palms. A difference counts only if it appears
``_ATTEMPTS`` times in a row, because the gallery may change between two searches, and only if
somebody scores as a mate does: which strangers are compared is chance.
"""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from engine.parameters import ALIKE_SCORE, COMPARED_GROUPS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.types import Candidate, PalmTemplate

_QUEUE_LIMIT: Final = 8
"""Searches that may wait; more are dropped and counted, so probes do not pile up."""

_ATTEMPTS: Final = 3
"""How often a difference must be seen in a row."""


class AuditableGallery(Protocol):
    """A gallery that can also search exactly."""

    def search(
        self,
        probes: Sequence[PalmTemplate],
        *,
        count: int = COMPARED_GROUPS,
        exact: bool = False,
    ) -> list[Candidate]:
        """Find the most similar groups, best first."""
        ...


@dataclass(frozen=True, slots=True)
class ShadowCounts:
    """Counts since start, as reported by the metrics.

    Attributes:
        repeated: searches repeated exactly.
        differing: of these, searches with another best candidate.
        dropped: searches not repeated because the queue was full.
        failed: searches that raised when repeated.
    """

    repeated: int = 0
    differing: int = 0
    dropped: int = 0
    failed: int = 0


class ShadowSearch:
    """Repeats searches in a thread that ends when its queue is empty, so no idle probe stays.

    ``share`` of searches, 0 to 1, is repeated; ``chance`` returns random numbers, 0 to below 1.
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
        """Counts so far."""
        return self._counts

    def search(
        self, probes: Sequence[PalmTemplate], *, count: int = COMPARED_GROUPS
    ) -> list[Candidate]:
        """Search, and repeat a share of searches later."""
        candidates = self._gallery().search(probes, count=count)
        if self._chance() < self._share:
            self._enqueue(tuple(probes))
        return candidates

    def close(self) -> None:
        """Wait until queued searches are repeated."""
        thread = self._thread
        if thread is not None:
            thread.join()

    def _enqueue(self, probes: Sequence[PalmTemplate]) -> None:
        """Queue a search unless the queue is full."""
        with self._lock:
            if len(self._waiting) >= _QUEUE_LIMIT:
                self._add(dropped=1)
                return
            self._waiting.append(probes)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="shadow", daemon=True)
                self._thread.start()

    def _next(self) -> Sequence[PalmTemplate] | None:
        """Return the next search; None ends the thread."""
        with self._lock:
            if self._waiting:
                return self._waiting.popleft()
            self._thread = None
            return None

    def _work(self) -> None:
        while (probes := self._next()) is not None:
            try:
                differing = self._differs(probes)
            except Exception:  # main loop of a thread
                counts = {"failed": 1}
            else:
                counts = {"repeated": 1, "differing": int(differing)}
            with self._lock:
                self._add(**counts)

    def _differs(self, probes: Sequence[PalmTemplate]) -> bool:
        gallery = self._gallery()
        return all(_misses(gallery, probes) for _ in range(_ATTEMPTS))

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


def _misses(gallery: AuditableGallery, probes: Sequence[PalmTemplate]) -> bool:
    found, exact = (gallery.search(probes, count=1, exact=exact) for exact in (False, True))
    return found != exact and any(each.score >= ALIKE_SCORE for each in (*found, *exact))

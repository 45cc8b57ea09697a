"""Repeats a share of live searches exactly and counts differences, beside the searches.

Shows what the packed scan does to real palms. A difference counts only if it appears
``_ATTEMPTS`` times in a row, because the gallery may change between two searches, and only if
a reference scores as a mate does: which non-mated groups are compared is chance.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass
from random import SystemRandom
from threading import Lock
from typing import TYPE_CHECKING, Final, Protocol

from engine.parameters import ALIKE_SCORE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.types import Candidate, PalmTemplate

_QUEUE_LIMIT: Final = 8
"""Searches that may wait; more are dropped and counted, so probes do not pile up."""

_ATTEMPTS: Final = 3
"""How often a difference must be seen in a row."""


class AuditableGallery(Protocol):
    """A gallery that can also search exactly."""

    def find(
        self, probes: Sequence[PalmTemplate], *, count: int, exact: bool
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
    """Queues a ``share`` of searches, 0 to 1; ``chance`` returns numbers, 0 to below 1."""

    def __init__(self, share: float, *, chance: Callable[[], float] | None = None) -> None:
        self._share, self._chance = share, chance or SystemRandom().random
        self._waiting: deque[Sequence[PalmTemplate]] = deque()
        self._counts: Counter[str] = Counter()
        self._lock = Lock()

    @property
    def counts(self) -> ShadowCounts:
        """Counts so far."""
        return ShadowCounts(**self._counts)

    def offer(self, probes: Sequence[PalmTemplate]) -> None:
        """Queue a share of the searches that are offered."""
        if self._chance() >= self._share:
            return
        with self._lock:
            if len(self._waiting) < _QUEUE_LIMIT:
                self._waiting.append(probes)
            else:
                self._counts["dropped"] += 1

    def repeat_one(self, gallery: AuditableGallery) -> None:
        """Repeat the search that waits longest; call several times a second."""
        if not self._waiting:
            return
        probes = self._waiting.popleft()
        try:
            differs = all(_misses(gallery, probes) for _ in range(_ATTEMPTS))
        except Exception:  # whatever it is, maintenance must go on
            self._counts["failed"] += 1
        else:
            self._counts["repeated"] += 1
            self._counts["differing"] += differs


def _misses(gallery: AuditableGallery, probes: Sequence[PalmTemplate]) -> bool:
    found, exact = (gallery.find(probes, count=1, exact=exact) for exact in (False, True))
    return found != exact and any(each.score >= ALIKE_SCORE for each in (*found, *exact))

"""Measure one vector searcher: times, and mates missing from its short list."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from benchmarks.measurement.timing import time_calls
from benchmarks.search.population.people import REFERENCES
from engine.parameters import SHORT_LIST_ROWS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from benchmarks.search.peers.scans import FaissScan
    from benchmarks.search.peers.searcher import Searcher

BATCH_PROBES: Final = 256

_FEWEST_RUNS: Final = 5


@dataclass(frozen=True, slots=True)
class SoughtMates:
    """Mates that short lists should hold.

    Attributes:
        vectors: of the probes, shape (probes, dimension).
        is_near: whether an exact scan's short list has the mate.
    """

    vectors: NDArray[np.float32]
    palms: NDArray[np.int64]
    is_near: NDArray[np.bool_]

    @classmethod
    def from_exact_scan(
        cls, exact: FaissScan, vectors: NDArray[np.float32], palms: Sequence[int]
    ) -> SoughtMates:
        """Find the mates by an exact scan."""
        whose = np.array(palms, np.int64)
        batches = range(0, len(vectors), BATCH_PROBES)
        lists = [
            rows
            for first in batches
            for rows in exact.nearest(vectors[first : first + BATCH_PROBES], SHORT_LIST_ROWS)
        ]
        return cls(vectors, whose, _has_mate(lists, whose))


def _has_mate(
    lists: Sequence[NDArray[np.int64]], palms: NDArray[np.int64]
) -> NDArray[np.bool_]:
    pairs = zip(lists, palms, strict=True)
    return np.array([(rows // REFERENCES == palm).any() for rows, palm in pairs], np.bool_)


def measure_scan(
    searcher: Searcher,
    wanted: SoughtMates,
    *,
    count: int = SHORT_LIST_ROWS,
    runs: int,
    seconds: float,
    is_server: bool = False,
) -> dict[str, Any]:
    """Time single scans and a batch, and count missing mates.

    Args:
        searcher: filled.
        wanted: mates to look for.
        count: rows of the short list.
        runs: most single scans to time.
        seconds: limits single scans and mates where a scan is slow.
        is_server: another process searches: count wall time.
    """
    vectors = wanted.vectors

    def scan(number: int) -> list[NDArray[np.int64]]:
        return searcher.nearest(vectors[number % len(vectors)][None], count)

    scan(0)
    began = perf_counter()
    scan(1)
    fitting = int(seconds / max(perf_counter() - began, 1e-6))
    single = time_calls(scan, max(_FEWEST_RUNS, min(runs, fitting)))
    looked_for = min(len(vectors), max(fitting, 2 * _FEWEST_RUNS))
    found = _has_mate([scan(n)[0] for n in range(looked_for)], wanted.palms[:looked_for])
    batch = vectors[: min(BATCH_PROBES, max(fitting, 1))]
    together = time_calls(lambda _: searcher.nearest(batch, count), 1)
    batch_ms = together.p50_ms if is_server else together.cpu_ms
    return {
        "method": searcher.name,
        "family": searcher.name,
        "clock": "wall" if is_server else "cpu",
        "row_octets_read": searcher.row_bytes,
        "one_thread": single.as_json(),
        "two_threads": None,
        "latency_ms": round(single.p50_ms if is_server else single.cpu_ms, 4),
        "batch_of": len(batch),
        "batch_ms_per_probe": round(batch_ms / len(batch), 4),
        "mates_looked_for": looked_for,
        "mates_not_in_short_list": int(np.count_nonzero(~found)),
        "mates_near": int(np.count_nonzero(wanted.is_near[:looked_for])),
        "mates_lost": int(np.count_nonzero(wanted.is_near[:looked_for] & ~found)),
    }


def add_ratios(
    scans: list[dict[str, Any]], rows: int, bandwidth: float
) -> list[dict[str, Any]]:
    """Add ratios to the first scan, and shares of the bandwidth."""
    baseline = scans[0]
    for scan in scans:
        latency = scan["latency_ms"]
        scan["times_faster"] = round(baseline["latency_ms"] / latency, 2)
        batched = scan["batch_ms_per_probe"]
        scan["batch_times_faster"] = round(baseline["batch_ms_per_probe"] / batched, 2)
        read = scan["row_octets_read"] * rows / latency / 1e6
        scan["read_gb_per_s"] = round(read, 2)
        scan["bandwidth_share"] = round(read / bandwidth, 3)
    return scans

"""Targets of a search in a million rows."""

from __future__ import annotations

from typing import Any, Final

from benchmarks.measurement.targets import Target
from benchmarks.search.identification import OBSERVED

TARGET_ROWS: Final = 1_000_000

TARGET_DIMENSION: Final = 256
"""Of the vectors for the target of memory."""

NUMBER_BYTES: Final = 2.25
"""Of one number of a vector in memory: half precision, and two bits that are scanned."""


def search_targets(size: dict[str, Any], dimension: int) -> list[Target]:
    """Return the targets of a size measured by ``run.measure_size``."""
    mates, beside = size["mates"]["fpir_0.001"], size["beside_enrolments"]
    erase, missed = size["changes"]["erase"], size["identification"][OBSERVED]["fnir"]["share"]
    not_compared = mates["lost_by_the_scan"] + mates["not_among_the_compared"]
    lost = 100 * not_compared / max(mates["above_threshold"], 1)
    faster = size["duel"]["whole_search"]["times_faster"]
    slower = beside["p999_beside_over_p99_alone"]
    return [
        Target("FNIR at an observed FPIR of 1e-3, one picture", 100 * missed, 5, 1, "%"),
        Target("one probe, in turn with IndexFlatIP", faster, 15, 30, "×", is_floor=True),
        Target("mates above the threshold, not compared", round(lost, 3), 0.2, 0.02, "%"),
        Target("erase, out of every search, p50", erase["p50_ms"], 1, 0.05, "ms"),
        Target("erase, out of every search, p99", erase["p99_ms"], 1, 0.05, "ms"),
        _memory_target(size["start"], dimension),
        Target("start", round(size["start"]["seconds"], 2), 15, 3, "s"),
        Target("p99.9 beside 1,000 enrolments a second", slower, 3, 3, "× p99 alone"),
    ]


def _memory_target(start: dict[str, Any], dimension: int) -> Target:
    """Return the target of memory as it would be with vectors of 256 numbers."""
    octets = start["resident_bytes_per_row"] - NUMBER_BYTES * (dimension - TARGET_DIMENSION)
    gigabytes = round(octets * TARGET_ROWS / 1e9, 3)
    return Target("memory, 256 numbers a row, a million", gigabytes, 0.75, 0.65, "GB")

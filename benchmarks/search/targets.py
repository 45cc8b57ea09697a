"""Targets of a search in a million rows."""

from __future__ import annotations

from typing import Any, Final

from benchmarks.measurement.targets import Target
from benchmarks.search.identification import OBSERVED

TARGET_ROWS: Final = 1_000_000


def search_targets(size: dict[str, Any]) -> list[Target]:
    """Return the targets of a size measured by ``run.measure_size``."""
    whole, scan = size["duel"]["whole_search"], size["scans"][1]
    erase, start = size["changes"]["erase"], size["start_of_the_bar"]
    mates, beside = size["mates"]["fpir_0.001"], size["beside_enrolments"]
    missed = ("lost_by_the_scan", "lost_farther_down", "not_among_the_compared")
    lost = 100 * sum(mates[why] for why in missed) / max(mates["above_threshold"], 1)
    memory = start["resident_bytes_per_row"] * TARGET_ROWS / 1e9
    return [
        *_identification_targets(size),
        Target(
            "one probe, in turn with IndexFlatIP", whole["times_faster"], 15, 30, "×",
            is_floor=True,
        ),
        Target(
            "mates above the threshold that are not compared", round(lost, 3), 0.2, 0.02, "%",
        ),
        Target(
            "memory's read bandwidth used by the scan", 100 * scan["bandwidth_share"], None, 75,
            "%", is_floor=True,
        ),
        Target(
            "batch of 256, per probe, against IndexFlatIP", scan["batch_times_faster"], 3, 6,
            "×", is_floor=True,
        ),
        Target("erase, out of every search, p50", erase["p50_ms"], 1, 0.05, "ms"),
        Target("erase, out of every search, p99", erase["p99_ms"], 1, 0.05, "ms"),
        Target("memory, 256 numbers a row, a million", round(memory, 3), 0.75, 0.65, "GB"),
        Target("start", round(size["start"]["seconds"], 2), 15, 3, "s"),
        Target(
            "p99.9 beside 1,000 enrolments a second, over p99 alone",
            beside["p999_beside_over_p99_alone"], 3, 3, "×",
        ),
    ]  # fmt: skip


def _identification_targets(size: dict[str, Any]) -> list[Target]:
    """Return the target of accuracy; none for results of before it was measured."""
    if "identification" not in size:
        return []
    missed = 100 * size["identification"][OBSERVED]["fnir"]["share"]
    return [Target("FNIR at an observed FPIR of 1e-3, one picture", missed, 5, 1, "%")]

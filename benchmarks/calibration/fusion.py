"""``thenar bench calibrate --drawn``: fit the vector penalty to drawn palms.

Fits the expected cosine of mates at each shift of the codes: nine tenths of plausible mates
exceed it. And the largest weight whose misses are within a thirtieth of the fewest at both
rates, half of what chance makes of them.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy.rates.error_rates import error_rates
from benchmarks.calibration.fit import header_toml
from benchmarks.console import print_written, track
from benchmarks.datasets import DrawnTemplates, read_drawn
from benchmarks.measurement import made_by, write_result
from engine.comparison.compare import VectorPenalty, compare_shifted
from engine.extract import load_extractor
from engine.networks.manifest import read_manifest
from engine.parameters import CODE_FAR_CELLS
from engine.settings import EngineSettings

Scores = NDArray[np.float32]

NEIGHBOURS: Final = 87
"""Non-mated probes per palm: the next ones, which share its family or sensor."""

LACKING_SHARE: Final = 0.1
"""Share of plausible mates below the expected cosine."""

PLAUSIBLE_FMR: Final = 0.01
"""Mates whose code score this share of non-mated ones reaches are plausible."""

WEIGHTS: Final = tuple(round(0.01 * step, 2) for step in range(16))

FMRS: Final = (1e-3, 1e-4)

SLACK: Final = 1 + 1 / 30
"""Tolerance for the fewest misses, 200 to 300: chance alone moves them by a fifteenth."""

_MIN_MATES: Final = 100


PAIR: Final = np.dtype([("codes", "f4"), ("cosines", "f4"), ("shifts", "i8"), ("mated", "?")])
"""A comparison of drawn palms: score of the codes, cosine of the extractor's vectors, cells at
which the codes agree best, and whether both are of one palm."""

Pairs = NDArray[np.void]


def fit_fusion(drawn: list[Path], calibration: Path, results: Path) -> None:
    """Fit the fused score to drawn palms: write the start of a calibration and the fit.

    Raises:
        DatasetFault: no drawn templates, or of another network.
    """
    settings = EngineSettings()
    extractor = load_extractor(settings).extractor_id
    graph = read_manifest(settings.manifest)[settings.palm_graph].sha256
    sets = [read_drawn(folder) for folder in drawn]
    for one in sets:
        one.require_graph(graph)
    pairs = np.concatenate([compare_drawn(one) for one in sets])
    expected, mated = expected_cosines(pairs), int(pairs["mated"].sum())
    tried = [misses(pairs, expected, weight) for weight in WEIGHTS]
    penalty = VectorPenalty(choose_weight(tried), tuple(round(value, 4) for value in expected))
    content = made_by("fusion-2") | {
        "extractor": str(extractor),
        "drawn": [one.plan | {"palms": len(one.codes)} for one in sets],
        "comparisons": {"mated": mated, "nonmated": len(pairs) - mated},
        "expected_cosines": list(penalty.expected_cosines),
        "misses": [
            {"weight": weight, **{f"{fmr:g}": n for fmr, n in zip(FMRS, few, strict=True)}}
            for weight, few in zip(WEIGHTS, tried, strict=True)
        ],
        "weight": penalty.weight,
    }
    calibration.write_text(header_toml(extractor, penalty) + "\n", "utf-8")
    print_written(write_result(results, f"fusion-{extractor}", content))


def compare_drawn(drawn: DrawnTemplates) -> Pairs:
    """Compare each palm's first view with its other views and its neighbours."""
    count, views = drawn.codes.shape[:2]
    vectors = drawn.unit_vectors()
    parts = []
    for palm in track(range(count), "comparing"):
        others = np.arange(palm + 1, palm + 1 + min(NEIGHBOURS, count - 1)) % count
        who = np.concatenate([np.full(views - 1, palm), others])
        view = np.concatenate([np.arange(1, views), others % views])
        distances, shifts = compare_shifted(drawn.codes[palm, 0], drawn.codes[who, view])
        cosines = vectors[who, view] @ vectors[palm, 0]
        part = np.empty(len(who), PAIR)
        part["codes"], part["cosines"] = 1 - distances, cosines
        part["shifts"], part["mated"] = shifts, who == palm
        parts.append(part)
    return np.concatenate(parts)


def expected_cosines(pairs: Pairs) -> tuple[float, ...]:
    """Return the expected cosine at each shift; shifts with few mates take the previous one."""
    plausible = np.quantile(pairs["codes"][~pairs["mated"]], 1 - PLAUSIBLE_FMR)
    mates = pairs["mated"] & (pairs["codes"] >= plausible)
    expected: list[float] = []
    for shift in range(CODE_FAR_CELLS + 1):
        cosines = pairs["cosines"][mates & (pairs["shifts"] == shift)]
        if cosines.size >= _MIN_MATES or not expected:
            expected.append(float(np.quantile(cosines, LACKING_SHARE)))
        else:
            expected.append(expected[-1])
    return tuple(expected)


def misses(pairs: Pairs, expected: tuple[float, ...], weight: float) -> tuple[int, ...]:
    """Return how many mates are missed at each rate."""
    scores = pairs["codes"] - VectorPenalty(weight, expected).penalties(
        pairs["cosines"], pairs["shifts"]
    )
    rates = error_rates(scores[pairs["mated"]], scores[~pairs["mated"]])
    return tuple(rates.false_non_matches(rates.threshold_for_fmr(fmr)) for fmr in FMRS)


def choose_weight(tried: Sequence[tuple[int, ...]]) -> float:
    """Return the largest weight within ``SLACK`` of the fewest misses at every rate."""
    fewest = np.min(tried, axis=0)
    good = [bool(np.all(np.array(few) <= SLACK * fewest)) for few in tried]
    return max(w for w, is_good in zip(WEIGHTS, good, strict=True) if is_good or w == 0)

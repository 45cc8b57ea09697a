"""``thenar bench accuracy --across``: FMR from all non-mated pairs of several sets together.

Palms of different sets are different people. Few sets alone have the million comparisons that
an FMR of 1e-6 needs.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from rich.progress import track
from rich.table import Table

from benchmarks.accuracy.rates.evaluation import rate_numbers
from benchmarks.console import console, print_written
from benchmarks.datasets.manifest import PalmSet, read_palm_set
from benchmarks.datasets.templates import labelled_templates
from benchmarks.measurement.result_files import result, write_result
from engine.comparison.compare import compare_many
from engine.decision.calibration import load_calibration
from engine.pipeline import load_pipeline
from engine.settings import EngineSettings
from engine.types import Hand

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from engine.decision.calibration import Calibration
    from engine.types import PalmTemplate

    Counts = NDArray[np.int64]

RATES: Final = (1e-4, 1e-5, 1e-6)

DRAWS: Final = 1000
"""Of the bootstrap over palms."""

TAILS: Final = (0.025, 0.975)


@dataclass(frozen=True, slots=True)
class Crowd:
    """Templates of several sets.

    Attributes:
        palms: number of each template's palm.
        sets: number of each palm's set.
        names: of the sets.
    """

    templates: list[PalmTemplate] = field(repr=False)
    palms: Counts = field(repr=False)
    sets: Counts = field(repr=False)
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pairs:
    """Non-mated comparisons between palms, shape (palms, palms) each.

    Attributes:
        false: those at or above each threshold.
    """

    made: Counts = field(repr=False)
    false: dict[str, Counts] = field(repr=False)


def count_false_matches(data: list[Path], out: Path, pictures_per_palm: int) -> None:
    """Count false matches among all non-mated pairs of several sets, also across them.

    The thresholds are those of the extractor's calibration: of its worst set (measured), and of
    a service with that ``TARGET_FMR`` (stated, a tenth of the rate).
    """
    sets = [read_palm_set(folder) for folder in data]
    crowd = _crowd(sets, pictures_per_palm)
    extractor = load_pipeline(EngineSettings()).extractor.extractor_id
    thresholds = _thresholds(load_calibration(extractor))
    pairs = compare_crowd(crowd, thresholds)
    content = result(
        protocol="false-matches-1",
        palms=_joined(sets),
        parameters={"pictures_per_palm": pictures_per_palm},
        numbers={
            "extractor": extractor,
            "thresholds": {name: round(value, 4) for name, value in thresholds.items()},
            **numbers_of(crowd, pairs),
        },
    )
    console.print(_table(content))
    print_written(write_result(out, "false-matches", content))


def _thresholds(calibration: Calibration) -> dict[str, float]:
    measured = {
        f"measured_fmr_{fmr:g}": max(
            fit.threshold_for_fmr(fmr) for fit in calibration.non_mated
        )
        for fmr in RATES
    }
    return measured | {
        f"stated_fmr_{fmr:g}": calibration.threshold_for_fmr(fmr) for fmr in RATES
    }


def _crowd(sets: Sequence[PalmSet], pictures_per_palm: int) -> Crowd:
    pipeline = load_pipeline(EngineSettings())
    templates: list[PalmTemplate] = []
    palms: list[int] = []
    owners: list[int] = []
    numbers: dict[tuple[int, str], int] = {}
    for place, one in enumerate(sets):
        for each in labelled_templates(one, pipeline, pictures_per_palm):
            number = numbers.setdefault((place, each.identity), len(numbers))
            if number == len(owners):
                owners.append(place)
            templates.append(each.template)
            palms.append(number)
    names = tuple(one.name for one in sets)
    return Crowd(templates, np.array(palms, np.int64), np.array(owners, np.int64), names)


def _joined(sets: Sequence[PalmSet]) -> PalmSet:
    digest = hashlib.sha256("".join(one.digest for one in sets).encode()).hexdigest()
    return PalmSet("+".join(one.name for one in sets), digest, ())


def compare_crowd(crowd: Crowd, thresholds: Mapping[str, float]) -> Pairs:
    """Compare each template with all later ones of its hand and of other palms."""
    shape = (crowd.sets.size, crowd.sets.size)
    pairs = Pairs(np.zeros(shape, np.int64), {n: np.zeros(shape, np.int64) for n in thresholds})
    hands = np.array([template.hand is Hand.LEFT for template in crowd.templates], bool)
    for row, probe in enumerate(track(crowd.templates, "comparing", console=console)):
        apart = (hands == hands[row]) & (crowd.palms != crowd.palms[row])
        others = np.flatnonzero(apart[row + 1 :]) + row + 1
        scores = compare_many(probe, [crowd.templates[place] for place in others])
        palms = crowd.palms[others]
        np.add.at(pairs.made[crowd.palms[row]], palms, 1)
        for name, threshold in thresholds.items():
            reached = palms[scores >= np.float32(threshold)]
            np.add.at(pairs.false[name][crowd.palms[row]], reached, 1)
    return pairs


def numbers_of(crowd: Crowd, pairs: Pairs) -> dict[str, Any]:
    """Return false match rates of all pairs, and of each pair of sets, ready for JSON."""
    everybody = np.ones(pairs.made.shape, bool)
    lines = [{"sets": list(crowd.names), **_rates(pairs, everybody)}]
    for one, other in combinations_with_replacement(range(len(crowd.names)), 2):
        first, second = crowd.sets == one, crowd.sets == other
        between = np.outer(first, second) | np.outer(second, first)
        lines.append({"sets": [crowd.names[one], crowd.names[other]], **_rates(pairs, between)})
    return {"palms": int(crowd.sets.size), "pictures": len(crowd.templates), "pairs": lines}


def _rates(pairs: Pairs, chosen: NDArray[np.bool_]) -> dict[str, Any]:
    made = np.where(chosen, pairs.made, 0)
    rates = {}
    for name, counted in pairs.false.items():
        false = np.where(chosen, counted, 0)
        rates[name] = rate_numbers(int(false.sum()), int(made.sum()), _interval(false, made))
    return {"fmr": rates}


def _interval(false: Counts, made: Counts) -> tuple[float, float] | None:
    """Return the interval of an FMR if other palms had been drawn; None without pairs."""
    count = len(made)
    weights = np.random.default_rng(1).multinomial(count, np.full(count, 1 / count), DRAWS)
    totals = np.einsum("di,di->d", weights @ made, weights)
    if not totals.all():
        return None
    low, high = np.quantile(np.einsum("di,di->d", weights @ false, weights) / totals, TAILS)
    return float(low), float(high)


def _table(content: dict[str, Any]) -> Table:
    names = list(content["thresholds"])
    table = Table("sets", "comparisons", *names, box=None)
    for line in content["pairs"]:
        rates = [line["fmr"][name] for name in names]
        shown = [f"{one['count']} (≤ {one['interval_95'][1]:.2g})" for one in rates]
        table.add_row(" × ".join(line["sets"]), f"{rates[0]['total']:,}", *shown)
    return table

"""Count misses and false matches at each strength of each condition, at fixed thresholds.

An interval is the wider of two: a bootstrap over the probes' palms, and Clopper and Pearson's.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measurement import interval_over, rate_numbers
from benchmarks.robustness.trials import ENROLLED, ENROLLED_WITH_MARGIN, Series, Taken
from engine.comparison.alignment import compare_claimed


@dataclass(frozen=True, slots=True)
class Scores:
    """Comparisons of the probes of one condition and strength.

    Attributes:
        mated: scores; −inf where the probe was refused or taken for the other hand.
        mated_palms: palm of each probe, as a number.
        between: scores of different palms' probes, all under the same condition.
        refused: probes without a template.
    """

    mated: NDArray[np.float32] = field(repr=False)
    mated_palms: NDArray[np.int64] = field(repr=False)
    nonmated: NDArray[np.float32] = field(repr=False)
    nonmated_palms: NDArray[np.int64] = field(repr=False)
    between: NDArray[np.float32] = field(repr=False)
    between_palms: NDArray[np.int64] = field(repr=False)
    probes: int
    refused: Counter[str]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Where one comparison matches, and where one does of a palm's references together."""

    single: float
    attempt: float


def curves(
    taken: Iterable[Taken], series: Sequence[Series], thresholds: Mapping[str, Thresholds]
) -> Iterator[dict[str, Any]]:
    """Yield the curve of each condition, ready for JSON."""
    references: dict[str, list[Taken]] = {}
    probes: dict[tuple[str, float], list[Taken]] = {}
    for one in taken:
        if one.is_reference:
            references.setdefault(one.condition, []).append(one)
        else:
            probes.setdefault((one.condition, one.strength), []).append(one)
    for each in series:
        pool = references[_pool(each)]
        points = [
            {"strength": at} | point(score(probes[each.name, at], pool), thresholds)
            for at in each.strengths
        ]
        yield {"condition": each.name, "unit": each.unit, "points": points}


def _pool(series: Series) -> str:
    if series.has_references:
        return series.name
    return ENROLLED_WITH_MARGIN if series.is_placement else ENROLLED


def score(probes: Sequence[Taken], references: Sequence[Taken]) -> Scores:
    """Compare each probe with every reference of its hand, as a verification does."""
    palms = {name: number for number, name in enumerate(sorted({p.identity for p in probes}))}
    mated: list[tuple[float, int]] = []
    nonmated: list[tuple[NDArray[np.float32], int]] = []
    between: list[tuple[NDArray[np.float32], int]] = []
    for number, probe in enumerate(probes):
        palm = palms[probe.identity]
        own = [r for r in references if r.identity == probe.identity and r.template is not None]
        made, others = _compared(probe, references)
        mated += [(value, palm) for value in made]
        mated += [(-np.inf, palm)] * (len(own) - len(made))
        nonmated.append((others, palm))
        between.append((_compared(probe, probes[number + 1 :])[1], palm))
    against_bare, between_probes = _joined(nonmated), _joined(between)
    return Scores(
        mated=np.array([value for value, _ in mated], np.float32),
        mated_palms=np.array([palm for _, palm in mated], np.int64),
        nonmated=against_bare[0],
        nonmated_palms=against_bare[1],
        between=between_probes[0],
        between_palms=between_probes[1],
        probes=len(probes),
        refused=Counter(probe.reason for probe in probes if probe.template is None),
    )


def _joined(
    parts: Sequence[tuple[NDArray[np.float32], int]],
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    values = np.concatenate([np.zeros(0, np.float32), *(values for values, _ in parts)])
    palms = [np.full(values.size, palm, np.int64) for values, palm in parts]
    return values, np.concatenate([np.zeros(0, np.int64), *palms])


def _compared(
    probe: Taken, references: Sequence[Taken]
) -> tuple[list[float], NDArray[np.float32]]:
    """Return the mated and the non-mated scores of a probe."""
    if probe.template is None:
        return [], np.zeros(0, np.float32)
    hand = probe.template.hand
    kept = [r for r in references if r.template is not None and r.template.hand is hand]
    values = compare_claimed(
        probe.template, [r.template for r in kept if r.template is not None]
    )
    own = np.array([r.identity == probe.identity for r in kept], bool)
    return values[own].tolist(), values[~own]


def point(scores: Scores, thresholds: Mapping[str, Thresholds]) -> dict[str, Any]:
    """Return FTA and, at each threshold, misses and false matches."""
    refused = scores.refused.total()
    return {
        "fta": rate_numbers(refused, scores.probes),
        "fta_by_reason": dict(sorted(scores.refused.items())),
        "at": {name: _errors(scores, threshold) for name, threshold in thresholds.items()},
    }


def _errors(scores: Scores, thresholds: Thresholds) -> dict[str, Any]:
    made = np.isfinite(scores.mated)
    single = np.float32(thresholds.single)
    missed = scores.mated < single
    reached = scores.mated >= np.float32(thresholds.attempt)
    palms = np.unique(scores.mated_palms)
    never = sum(not reached[scores.mated_palms == palm].any() for palm in palms)
    return {
        "missed_or_refused": _share(missed, scores.mated_palms),
        "fnmr": _share(missed[made], scores.mated_palms[made]),
        "fmr": _share(scores.nonmated >= single, scores.nonmated_palms),
        "fmr_between_probes": _share(scores.between >= single, scores.between_palms),
        "palms_missed_by_all_probes": rate_numbers(never, palms.size),
    }


def _share(wrong: NDArray[np.bool_], palms: NDArray[np.int64]) -> dict[str, Any]:
    hits = {palm: wrong[palms == palm].tolist() for palm in np.unique(palms).tolist()}
    return rate_numbers(int(wrong.sum()), wrong.size, interval_over(hits))

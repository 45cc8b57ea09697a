"""Fit the tables and the tail of a calibration. Pure functions."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.errors import BenchmarkFault
from engine.decision.calibration import MatedScores, NonMatedScores

TABLE_RATES: Final = (0.9, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002)
"""False match rates of the table above the tail."""

TAIL_SHARE: Final = 1e-3
"""Share of the scores that the tail is fitted to. A larger share includes the bend of the body
in a tail that should be straight: 1 % gave thresholds up to 0.01 higher.
"""

MIN_TAIL_COUNT: Final = 300
"""Fewest scores for the tail, by a larger share if needed: gives its scale to about 6 %, if
independent.
"""

MIN_COUNT: Final = 10 * MIN_TAIL_COUNT
"""Fewest scores for a fit."""


MATED_RATES: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.9)
"""False non-match rates of the mated table, as far as the set supports them."""

MIN_MATED: Final = 5
"""Mated comparisons that must lie below a score of the table."""


class TooFewComparisons(BenchmarkFault):
    """The set has too few comparisons of different palms."""


@dataclass(frozen=True, slots=True)
class SetCounts:
    """Size of the set behind a fit."""

    data: str
    palms: int
    pictures: int


def fit_non_mated(scores: NDArray[np.floating], counts: SetCounts) -> NonMatedScores:
    """Fit the distribution of non-mated scores.

    Args:
        scores: shape (count,), 0 to 1.
        counts: of the set.

    Raises:
        TooFewComparisons: fewer than 3000.
    """
    if scores.size < MIN_COUNT:
        raise TooFewComparisons(f"{scores.size} non-mated comparisons; {MIN_COUNT} are needed")
    tail_rate = max(TAIL_SHARE, MIN_TAIL_COUNT / scores.size)
    rates = [rate for rate in TABLE_RATES if rate > tail_rate] + [tail_rate]
    quantiles = np.quantile(scores.astype(np.float64), 1 - np.array(rates))
    excesses = scores[scores > quantiles[-1]].astype(np.float64) - quantiles[-1]
    scale, shape = fit_tail(excesses)
    return NonMatedScores(
        data=counts.data,
        palms=counts.palms,
        pictures=counts.pictures,
        comparisons=int(scores.size),
        rates=(1.0, *rates),
        scores=(0.0, *(float(quantile) for quantile in quantiles)),
        scale=scale,
        shape=shape,
    )


def fit_mated(scores: NDArray[np.floating], counts: SetCounts) -> MatedScores:
    """Make the table of mated scores.

    Args:
        scores: shape (count,), 0 to 1.
        counts: of the set.
    """
    rates = [rate for rate in MATED_RATES if rate * scores.size >= MIN_MATED]
    if len(rates) < 2:
        raise TooFewComparisons(f"{scores.size} mated comparisons are too few")
    quantiles = np.quantile(scores.astype(np.float64), rates)
    return MatedScores(
        data=counts.data,
        palms=counts.palms,
        comparisons=int(scores.size),
        rates=tuple(rates),
        scores=tuple(float(quantile) for quantile in quantiles),
    )


def fit_tail(excesses: NDArray[np.float64]) -> tuple[float, float]:
    """Fit a generalised Pareto distribution by probability-weighted moments.

    Hosking and Wallis 1987. A shape below 0 would mean that scores have an upper end: the tail
    is exponential instead.

    Args:
        excesses: shape (count,), above 0.

    Returns:
        Scale and shape, the latter 0 to below 1.
    """
    ordered = np.sort(excesses)
    rank = (np.arange(ordered.size) + 0.65) / ordered.size
    mean, weighted = float(ordered.mean()), float(np.mean(ordered * (1 - rank)))
    shape = 2 - mean / (mean - 2 * weighted)
    if not shape > 0:
        return mean, 0.0
    return 2 * mean * weighted / (mean - 2 * weighted), min(shape, 0.99)

"""FMR, FNMR, EER and thresholds from scores. ISO/IEC 19795-1:2021.

A score at the threshold is a match.

The bootstrap shows how error rates would vary with other people. Comparisons share people, so
subjects are drawn: a comparison counts as often as both subjects were drawn, a mated one as
often as its subject. Bolle, Ratha and Pankanti 2004. Each draw counts scores between fixed
thresholds, exactly.
"""

import math
from bisect import bisect_left
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ErrorRates:
    """Error rates of one method on one set. Make it with ``error_rates``.

    Attributes:
        mated: mated scores, rising.
        nonmated: non-mated scores, rising.
    """

    mated: NDArray[np.float32] = field(repr=False)
    nonmated: NDArray[np.float32] = field(repr=False)

    def false_matches(self, threshold: float) -> int:
        """Count the non-mated scores at or above a threshold."""
        return self.nonmated.size - _count_below(self.nonmated, threshold)

    def false_non_matches(self, threshold: float) -> int:
        """Count the mated scores below a threshold."""
        return _count_below(self.mated, threshold)

    def fmr(self, threshold: float) -> float:
        """Return the false match rate at a threshold."""
        return self.false_matches(threshold) / max(self.nonmated.size, 1)

    def fnmr(self, threshold: float) -> float:
        """Return the false non-match rate at a threshold."""
        return self.false_non_matches(threshold) / max(self.mated.size, 1)

    def threshold_for_fmr(self, fmr: float) -> float:
        """Return the lowest threshold whose observed FMR is at most this."""
        allowed = math.floor(fmr * self.nonmated.size + 1e-9)
        if allowed >= self.nonmated.size:
            return -math.inf
        largest_refused = self.nonmated[self.nonmated.size - 1 - allowed]
        return _just_above(float(largest_refused))

    def equal_error_rate(self) -> float:
        """Return the equal error rate; see ``crossing``."""
        # Rates change just above a score and nowhere else.
        last = min(self._last_uncrossed(self.mated), self._last_uncrossed(self.nonmated))
        thresholds = (last, _just_above(last))
        return crossing(
            np.array([self.fmr(threshold) for threshold in thresholds]),
            np.array([self.fnmr(threshold) for threshold in thresholds]),
        )

    def d_prime(self) -> float:
        """Return how far apart the means are, in pooled standard deviations."""
        pooled = math.sqrt((self.mated.var(dtype=float) + self.nonmated.var(dtype=float)) / 2)
        apart = self.mated.mean(dtype=float) - self.nonmated.mean(dtype=float)
        return float(abs(apart) / pooled) if pooled else math.inf

    def _last_uncrossed(self, scores: NDArray[np.float32]) -> float:
        """Return the first score just above which FNMR is not below FMR.

        It exists: above the last mated score FNMR is 1, above the last non-mated one FMR is 0.
        """
        place = bisect_left(
            range(scores.size), 1, key=lambda n: self._is_crossed(float(scores[n]))
        )
        return float(scores[place])

    def _is_crossed(self, score: float) -> bool:
        threshold = _just_above(score)
        return self.fnmr(threshold) >= self.fmr(threshold)


def error_rates(mated: NDArray[np.floating], nonmated: NDArray[np.floating]) -> ErrorRates:
    """Return the error rates of unsorted scores."""
    return ErrorRates(
        np.sort(mated).astype(np.float32, copy=False),
        np.sort(nonmated).astype(np.float32, copy=False),
    )


def _just_above(score: float) -> float:
    return float(np.nextafter(np.float32(score), np.float32(np.inf)))


def _count_below(scores: NDArray[np.float32], threshold: float) -> int:
    # With another dtype numpy would copy all scores.
    least = np.float32(threshold)
    if float(least) < threshold:
        least = np.nextafter(least, np.float32(np.inf))
    return int(np.searchsorted(scores, least))


def crossing(falling: Values, rising: Values) -> float:
    """Return where a falling and a rising curve meet: the equal error rate.

    Counted rates jump: of the two thresholds around the crossing, use the one with the smaller
    sum of errors, and the mean of its rates. Maio and others 2002 (FVC2000).

    Args:
        falling: shape (count,), at rising thresholds.
        rising: same shape; above ``falling`` at the end.
    """
    after = int(np.argmax(rising >= falling))
    before = after - 1 if after and rising[after] > falling[after] else after
    sums = [float(falling[place] + rising[place]) for place in (before, after)]
    return min(sums) / 2


Subjects = NDArray[np.int32]

DRAWS: Final = 200

THRESHOLDS: Final = 400
"""Thresholds from each kind of score."""

TAILS: Final = (0.025, 0.975)


@dataclass(frozen=True, slots=True)
class SubjectScores:
    """Scores of one kind with their subjects.

    Attributes:
        scores: shape (count,), float32.
        subjects: subject of each template, shape (templates,).
        pairs: templates, shape (count, 2).
    """

    scores: NDArray[np.float32] = field(repr=False)
    subjects: Subjects = field(repr=False)
    pairs: NDArray[np.int32] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """Curves of every draw.

    Attributes:
        thresholds: rising, shape (count,).
        fmr: shape (draws, count), falling.
        fnmr: shape (draws, count), rising.
    """

    thresholds: Values = field(repr=False)
    fmr: Values = field(repr=False)
    fnmr: Values = field(repr=False)

    def fmr_interval(self, threshold: float) -> tuple[float, float]:
        """Return the interval of the FMR at a threshold."""
        return _interval(self.fmr[:, self._place(threshold)])

    def missed_interval(self, threshold: float) -> tuple[float, float]:
        """Return the interval of the FNMR at a threshold that is the same for every draw."""
        return _interval(self.fnmr[:, self._place(threshold)])

    def fnmr_interval(self, fmr: float) -> tuple[float, float]:
        """Return the interval of the FNMR at each draw's threshold for an FMR."""
        return _interval(self._fnmr_at(fmr))

    def eer_interval(self) -> tuple[float, float]:
        """Return the interval of the equal error rate."""
        draws = zip(self.fmr, self.fnmr, strict=True)
        return _interval(np.array([crossing(fmr, fnmr) for fmr, fnmr in draws]))

    def band(self, fmrs: Values) -> Values:
        """Return the interval of the FNMR at each FMR, shape (2, count)."""
        return np.array([self.fnmr_interval(float(fmr)) for fmr in fmrs]).T

    def _place(self, threshold: float) -> int:
        return min(int(np.searchsorted(self.thresholds, threshold)), self.thresholds.size - 1)

    def _fnmr_at(self, fmr: float) -> Values:
        """Return each draw's FNMR at its lowest threshold that keeps an FMR."""
        kept = np.argmax(self.fmr <= fmr, axis=1)
        return np.asarray(np.take_along_axis(self.fnmr, kept[:, None], axis=1)[:, 0])


def bootstrap(
    rates: ErrorRates,
    mated: SubjectScores,
    nonmated: SubjectScores,
    *,
    seed: int,
    draws: int = DRAWS,
) -> Bootstrap:
    """Draw the subjects many times."""
    thresholds = _thresholds(rates)
    weights = _draw(mated.subjects, draws, seed)
    matches = _counts(nonmated, thresholds, weights, is_mated=False)
    non_matches = _counts(mated, thresholds, weights, is_mated=True)
    matched_from = np.cumsum(matches[:, ::-1], axis=1)[:, ::-1]
    missed_below = np.cumsum(non_matches, axis=1)
    return Bootstrap(
        thresholds=thresholds,
        fmr=matched_from[:, 1:] / np.maximum(matched_from[:, :1], 1),
        fnmr=missed_below[:, :-1] / np.maximum(missed_below[:, -1:], 1),
    )


def _thresholds(rates: ErrorRates) -> Values:
    """Spread thresholds over both kinds of scores, densely where errors are rare."""
    high = rates.nonmated[::-1][_spread_ranks(rates.nonmated.size)]
    low = rates.mated[_spread_ranks(rates.mated.size)]
    above = np.nextafter(np.float32(max(high.max(), low.max())), np.float32(np.inf))
    named = [rates.threshold_for_fmr(10.0**-power) for power in range(1, 7)]
    finite = [threshold for threshold in named if np.isfinite(threshold)]
    return np.unique(np.concatenate([high, low, finite, [above]]).astype(np.float64))


def _spread_ranks(count: int) -> NDArray[np.int64]:
    ranks = np.rint(np.geomspace(1, count, THRESHOLDS))
    return np.unique(ranks.astype(np.int64)) - 1


def _draw(subjects: Subjects, draws: int, seed: int) -> NDArray[np.int32]:
    present = np.unique(subjects)
    weights = np.zeros((int(subjects.max(initial=0)) + 1, draws), np.int32)
    rng = np.random.default_rng(seed)
    share = np.full(present.size, 1 / max(present.size, 1))
    weights[present] = rng.multinomial(present.size, share, size=draws).T
    return weights


def _counts(
    scored: SubjectScores, thresholds: Values, weights: NDArray[np.int32], *, is_mated: bool
) -> Values:
    """Return the weight between thresholds, shape (draws, thresholds + 1).

    A column counts scores at or above its threshold and below the next.
    """
    places = np.searchsorted(thresholds, scored.scores.astype(np.float64), "right")
    probes, references = scored.subjects[scored.pairs].T
    counts = np.empty((weights.shape[1], thresholds.size + 1))
    for draw, drawn in enumerate(weights.T):
        times = drawn[probes] if is_mated else drawn[probes] * drawn[references]
        counts[draw] = np.bincount(places, times, thresholds.size + 1)
    return counts


def _interval(values: Values) -> tuple[float, float]:
    low, high = np.quantile(values, TAILS)
    return float(low), float(high)

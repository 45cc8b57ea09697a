"""FMR, FNMR, EER and thresholds from scores. ISO/IEC 19795-1:2021.

A score at the threshold is a match.
"""

import math
from bisect import bisect_left
from dataclasses import dataclass, field

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

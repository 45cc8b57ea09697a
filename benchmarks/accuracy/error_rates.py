"""Scores → FMR, FNMR, EER and thresholds. Pure functions. ISO/IEC 19795-1:2021.

A score at the threshold is a match, everywhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Values = NDArray[np.float64]

SUPPORTING_ERRORS: Final = 10
"""Fewer errors than this do not support a rate."""


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
        """Return how many non-mated scores reach a threshold."""
        return self.nonmated.size - int(np.searchsorted(self.nonmated, threshold))

    def false_non_matches(self, threshold: float) -> int:
        """Return how many mated scores do not reach a threshold."""
        return int(np.searchsorted(self.mated, threshold))

    def fmr(self, threshold: float) -> float:
        """Return the share of non-mated scores that reach a threshold."""
        return self.false_matches(threshold) / max(self.nonmated.size, 1)

    def fnmr(self, threshold: float) -> float:
        """Return the share of mated scores that do not reach a threshold."""
        return self.false_non_matches(threshold) / max(self.mated.size, 1)

    def threshold_for_fmr(self, fmr: float) -> float:
        """Return the lowest threshold whose observed FMR is at most this."""
        allowed = math.floor(fmr * self.nonmated.size + 1e-9)
        if allowed >= self.nonmated.size:
            return -math.inf
        largest_refused = self.nonmated[self.nonmated.size - 1 - allowed]
        return float(np.nextafter(largest_refused, np.float32(np.inf)))

    def equal_error_rate(self) -> float:
        """Return where FMR and FNMR cross; see ``crossing``."""
        thresholds = self._overlap()
        matches = self.nonmated.size - np.searchsorted(self.nonmated, thresholds)
        fmr = matches / self.nonmated.size
        fnmr = np.searchsorted(self.mated, thresholds) / self.mated.size
        return crossing(fmr, fnmr)

    def _overlap(self) -> NDArray[np.float32]:
        """Every score between the lowest mated and the highest non-mated, and one above all."""
        low, high = self.mated[0], max(self.nonmated[-1], self.mated[0])
        parts = [
            scores[np.searchsorted(scores, low) : np.searchsorted(scores, high, "right")]
            for scores in (self.mated, self.nonmated)
        ]
        above = np.nextafter(high, np.float32(np.inf))
        return np.unique(np.concatenate([*parts, [low, above]]).astype(np.float32))


def error_rates(mated: NDArray[np.floating], nonmated: NDArray[np.floating]) -> ErrorRates:
    """Return the error rates of scores, in any order."""
    return ErrorRates(
        np.sort(mated).astype(np.float32, copy=False),
        np.sort(nonmated).astype(np.float32, copy=False),
    )


def crossing(falling: Values, rising: Values) -> float:
    """Return the value at which a falling and a rising curve meet: the equal error rate.

    Counted rates jump past each other: of the two thresholds round the crossing, the one with
    the smaller sum of errors is taken, and the middle between its two rates. Maio and others
    2002 (FVC2000).

    Args:
        falling: shape (count,), at rising thresholds.
        rising: likewise; above ``falling`` at the end.
    """
    after = int(np.argmax(rising >= falling))
    before = after - 1 if after and rising[after] > falling[after] else after
    sums = [float(falling[place] + rising[place]) for place in (before, after)]
    return min(sums) / 2

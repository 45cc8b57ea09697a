"""False non-match rates of single comparisons, a table for each calibration set."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from engine.errors import CalibrationFault


@dataclass(frozen=True, slots=True)
class MatedScores:
    """Mated scores of one set, of different sessions where possible.

    Attributes:
        rates: false non-match rates, rising, above 0 and below 1.
        scores: the scores below which these shares lie, 0 to 1.
    """

    data: str
    palms: int
    comparisons: int
    rates: tuple[float, ...]
    scores: tuple[float, ...]

    def __post_init__(self) -> None:
        """Raise ``CalibrationFault`` for numbers that are not a distribution."""
        numbers = (0.0, *self.rates, 1.0)
        sound = (
            all(math.isfinite(number) for number in (*self.rates, *self.scores))
            and len(self.rates) == len(self.scores) >= 2
            and all(a < b for a, b in pairwise(numbers))
            and all(a <= b for a, b in pairwise(self.scores))
            and 0 <= self.scores[0] <= self.scores[-1] <= 1
            and min(self.palms, self.comparisons) > 0
        )
        if not sound:
            raise CalibrationFault("the calibration's mated scores are not a distribution")

    def fnmr_at(self, threshold: float) -> float:
        """Return the share of mated comparisons below a threshold.

        Below the first score it is an upper bound; above the last it rises to 1.
        """
        if threshold > 1:
            return 1.0
        return float(np.interp(threshold, (*self.scores, 1.0), (*self.rates, 1.0)))

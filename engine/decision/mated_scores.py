"""How often does a palm score less than a threshold against itself? A table for each set.

What it gives is stated for one comparison of two pictures. A search has several references of
whoever is enrolled, so that its FNIR is lower; a person in a hurry in bad light is worse.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from engine.errors import CalibrationFault


@dataclass(frozen=True, slots=True)
class MatedScores:
    """Mated scores of one set of palms.

    Attributes:
        data: name of the set.
        palms: how many palms.
        comparisons: how many comparisons of two pictures of a palm, of different sessions where
            the set has several.
        rates: false non-match rates, rising, above 0 and below 1.
        scores: the scores below which these shares lie, rising, 0 to 1.
    """

    data: str
    palms: int
    comparisons: int
    rates: tuple[float, ...]
    scores: tuple[float, ...]

    def __post_init__(self) -> None:
        """Refuse numbers that are no distribution.

        Raises:
            CalibrationFault: they are not.
        """
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
            raise CalibrationFault("the calibration's mated scores are no distribution")

    def fnmr_at(self, threshold: float) -> float:
        """Return the share of mated comparisons below a threshold.

        Below the first score of the table it is the table's first rate, which then is an upper
        bound; above the last one it rises towards 1, which it reaches at the score 1.
        """
        if threshold > 1:
            return 1.0
        return float(np.interp(threshold, (*self.scores, 1.0), (*self.rates, 1.0)))

"""From the operator's rates to thresholds, by the extractor's calibration."""

from __future__ import annotations

from typing import Protocol

from engine.calibrate import Calibration, threshold_for_fpir


class Thresholds(Protocol):
    """The lowest comparison score that is a match."""

    def verification(self) -> float:
        """Return it for a one-to-one comparison."""

    def identification(self, comparisons: int) -> float:
        """Return it for a search of that many comparisons: the more, the higher."""


class CalibratedThresholds:
    """Implements ``Thresholds``.

    Args:
        calibration: of the extractor.
        target_fmr: false match rate of one verification.
        target_fpir: false positive identification rate of one search.
    """

    def __init__(
        self, calibration: Calibration, *, target_fmr: float, target_fpir: float
    ) -> None:
        self._calibration, self._target_fpir = calibration, target_fpir
        self._verification = calibration.threshold_for_fmr(target_fmr)

    def verification(self) -> float:
        """Return the threshold of a one-to-one comparison."""
        return self._verification

    def identification(self, comparisons: int) -> float:
        """Return the threshold of a search; naming nobody is never easier than a name."""
        searched = threshold_for_fpir(self._calibration, self._target_fpir, comparisons)
        return max(self._verification, searched)

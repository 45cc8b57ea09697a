"""From the operator's rates to thresholds, by the extractor's calibration.

What is promised is an upper bound: comparisons are counted as if they were independent, and all
of them as chances of a stranger.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

from engine.decision.calibration import Calibration, fmr_for_fpir, threshold_for_fpir

PALMS_PER_PERSON: Final = 2
"""Palms a stranger can show: the left one and the right one, each searched among its side."""

MAX_VERIFIED_REFERENCES: Final = 8
"""References of one palm that a verification is compared with at most, by default."""


class Thresholds(Protocol):
    """The lowest comparison score that is a match."""

    def verification(self, comparisons: int = 1) -> float:
        """Return it for the best of that many comparisons with one person's references."""

    def identification(self, comparisons: int) -> float:
        """Return it for a search of that many comparisons: the more, the higher."""

    def margin(self) -> float:
        """Return by how much the best account must exceed the second best."""


class CalibratedThresholds:
    """Implements ``Thresholds``.

    Args:
        calibration: of the extractor.
        target_fmr: false match rate of one verification, however many references it has.
        target_fpir: false positive identification rate of one person who may show both palms.
    """

    def __init__(
        self, calibration: Calibration, *, target_fmr: float, target_fpir: float
    ) -> None:
        self._calibration, self._target_fpir = calibration, target_fpir
        self._target_fmr = target_fmr

    def verification(self, comparisons: int = 1) -> float:
        """Return the threshold of a verification by the best of that many comparisons."""
        return threshold_for_fpir(self._calibration, self._target_fmr, comparisons)

    def identification(self, comparisons: int) -> float:
        """Return the threshold of a search; naming nobody is never easier than a name."""
        searched = threshold_for_fpir(
            self._calibration, self._target_fpir, comparisons * PALMS_PER_PERSON
        )
        return max(self.verification(min(comparisons, MAX_VERIFIED_REFERENCES)), searched)

    def margin(self) -> float:
        """Return by how much the best account must exceed the second best."""
        return self._calibration.margin


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """What a rate means for a gallery of one size.

    Attributes:
        rows: references on one side.
        fmr: the false match rate that one comparison may have.
        threshold: that keeps it; above 1: no score matches.
        fnir: share of searches of enrolled people expected to find nobody, 0 to 1, for one
            reference a palm on the worst set; None where the calibration does not know.
        is_extrapolated: whether the calibration has too few comparisons to have seen the rate.
    """

    rows: int
    fmr: float
    threshold: float
    fnir: float | None
    is_extrapolated: bool


def operating_point(
    calibration: Calibration, target_fpir: float, rows: int, samples: int = 1
) -> OperatingPoint:
    """Return what a rate means for a gallery of one size.

    Args:
        calibration: of the extractor.
        target_fpir: wanted.
        rows: references on one side.
        samples: of one login.

    Raises:
        CalibrationFault: the rate is not between 0 and 1, or nothing is compared.
    """
    fmr = fmr_for_fpir(target_fpir, rows * samples * PALMS_PER_PERSON)
    threshold = calibration.threshold_for_fmr(fmr)
    return OperatingPoint(
        rows,
        fmr,
        threshold,
        calibration.fnmr_at(threshold),
        calibration.is_extrapolated(fmr),
    )

"""Thresholds from the operator's rates and the extractor's calibration.

Rates are upper bounds: comparisons count as independent and non-mated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

from engine.decision.calibration import Calibration, fmr_for_fpir, threshold_for_fpir

PALMS_PER_PERSON: Final = 2
"""A non-mated probe may be of two palms."""

MAX_VERIFIED_REFERENCES: Final = 8
"""Most references that a verification compares with, by default."""


class Thresholds(Protocol):
    """The lowest comparison scores that are a match."""

    def verification(self, comparisons: int = 1) -> float:
        """Return that for the best of this many comparisons with one account."""

    def identification(self, comparisons: int) -> float:
        """Return that for a search of this many comparisons."""

    def margin(self) -> float:
        """Return by how much the best account must exceed the second."""


class CalibratedThresholds:
    """Implements ``Thresholds`` for one extractor.

    Args:
        calibration: of the extractor.
        target_fmr: of one verification, over all references.
        target_fpir: of one person who shows both palms.
    """

    def __init__(
        self, calibration: Calibration, *, target_fmr: float, target_fpir: float
    ) -> None:
        self._calibration, self._target_fpir = calibration, target_fpir
        self._target_fmr = target_fmr

    def verification(self, comparisons: int = 1) -> float:
        """Return the threshold for the best of this many comparisons."""
        return threshold_for_fpir(self._calibration, self._target_fmr, comparisons)

    def identification(self, comparisons: int) -> float:
        """Return the threshold of a search, at least that of a verification."""
        searched = threshold_for_fpir(
            self._calibration, self._target_fpir, comparisons * PALMS_PER_PERSON
        )
        return max(self.verification(min(comparisons, MAX_VERIFIED_REFERENCES)), searched)

    def margin(self) -> float:
        """Return the calibrated margin."""
        return self._calibration.margin


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """A target rate, as thresholds for a gallery of one size.

    Attributes:
        rows: references of one hand.
        fmr: allowed for one comparison.
        threshold: above 1, no score matches.
        fnir: expected share of searches that miss an enrolled person, for one reference a palm
            on the hardest data set; None if unknown.
        is_extrapolated: whether too few comparisons were made to measure the rate.
    """

    rows: int
    fmr: float
    threshold: float
    fnir: float | None
    is_extrapolated: bool


def operating_point(
    calibration: Calibration, target_fpir: float, rows: int, samples: int = 1
) -> OperatingPoint:
    """Return the operating point for ``rows`` references of one hand and ``samples`` probes.

    Raises CalibrationFault.
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

"""Thresholds of all decisions, from the operator's rates and the extractor's calibration.

Rates are upper bounds: comparisons count as independent and non-mated. Two settings suffice for
all channels: ``target_fmr`` for a claimed account, ``target_fpir`` for a search among all.
"""

from dataclasses import dataclass
from typing import Final, Protocol

from engine.decision.calibration import (
    PALMS_PER_PERSON,
    Calibration,
    fmr_for_fpir,
    threshold_for_fpir,
    threshold_for_search,
)

SURE_MARGINS: Final = 1.0
"""Above the threshold, a palm surely is an account's: its FMR is a thousandth of the target.

This and the next two were chosen on phones-dev and poses-dev (M61), in margins, which follow
the extractor's calibration.
"""

NEW_MARGINS: Final = 3.0
"""Above that, a palm looks like a reference that there is: 0.72 by palmnet-2."""

ALIKE_MARGINS: Final = 1 / 3
"""Below the threshold, a palm still resembles a reference: its FMR is ten times the target.

An added reference decides about such a palm only. Else a mixture of two palms that was added
let the second one in: 193 of 200 pairs (hands11k-dev), with this rule one.
"""


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
        return threshold_for_search(
            self._calibration, self._target_fmr, self._target_fpir, comparisons
        )

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
        rows, fmr, threshold, calibration.fnmr_at(threshold), calibration.is_extrapolated(fmr)
    )


@dataclass(frozen=True, slots=True)
class DecisionRate:
    """How strict one decision is.

    Attributes:
        setting: of the engine, from which it follows.
        comparisons: of which the best counts.
        fmr: stated false match rate of one comparison.
    """

    decision: str
    setting: str
    comparisons: int
    threshold: float
    fmr: float


def decision_rates(
    calibration: Calibration, target_fmr: float, target_fpir: float, rows: int
) -> list[DecisionRate]:
    """Return every decision about palms, for galleries with ``rows`` references of a hand."""
    by = CalibratedThresholds(calibration, target_fmr=target_fmr, target_fpir=target_fpir)
    margin, searched = by.margin(), by.identification(rows * 3)
    own, among = "target_fmr", "target_fpir"
    decisions = [
        ("own phone, its account: 3 references, 1 frame", own, 3, by.verification(3)),
        ("own phone, its account: 6 references, 3 frames", own, 18, by.verification(18)),
        ("own phone: a reference is added", own, 3, by.verification(3) + SURE_MARGINS * margin),
        (
            "own phone: an added one may count",
            own,
            1,
            by.verification() - ALIKE_MARGINS * margin,
        ),
        ("enrolment: two samples are one palm", own, 1, by.verification()),
        ("station or new phone: whose palm, 1 frame", among, rows, by.identification(rows)),
        ("station or new phone: whose palm, 3 frames", among, 3 * rows, searched),
        ("enrolment: 3 samples are enrolled already", among, 3 * rows, searched),
    ]
    return [DecisionRate(*each, calibration.fmr_at(each[-1])) for each in decisions]

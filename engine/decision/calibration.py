"""The false match rate of every score, and the threshold for a rate.

Each calibration set has a table of rates and scores and a generalised Pareto tail (Pickands
1975), never lighter than exponential. The worst set decides. Rates below 30 false matches are
extrapolated (rule of 30, ISO/IEC 19795-1).

False non-match rates are of single comparisons, a table for each calibration set.
"""

import math
import tomllib
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
from pydantic import TypeAdapter

from engine.comparison.compare import (
    CALIBRATIONS,
    NO_PENALTY,
    VectorPenalty,
    parse_vector_penalty,
)
from engine.errors import CalibrationFault
from engine.parameters import CALIBRATION_SAFETY
from engine.types import ExtractorId


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


SECOND_BEST_RATIO: Final = 1000
"""The second-best palm is too close if its score is at most this many times as frequent among
non-mated comparisons as the best's. B15."""

RULE_OF: Final = 30
"""False matches needed for a measured rate."""


@dataclass(frozen=True, slots=True)
class NonMatedScores:
    """Non-mated scores of one calibration set.

    Attributes:
        rates: false match rates, falling from 1; the tail begins at the last.
        scores: the scores that reach them, rising.
        scale: of the tail, in units of the score; above 0.
        shape: of the tail, 0 (exponential) to below 1.
    """

    data: str
    palms: int
    pictures: int
    comparisons: int
    rates: tuple[float, ...]
    scores: tuple[float, ...]
    scale: float
    shape: float

    def __post_init__(self) -> None:
        """Raise ``CalibrationFault`` for numbers that are not a distribution."""
        numbers = (*self.rates, *self.scores, self.scale, self.shape)
        sound = (
            all(math.isfinite(number) for number in numbers)
            and len(self.rates) == len(self.scores) >= 2
            and self.rates[0] == 1
            and self.rates[-1] > 0
            and all(a > b for a, b in zip(self.rates, self.rates[1:], strict=False))
            and all(a < b for a, b in zip(self.scores, self.scores[1:], strict=False))
            and self.scale > 0
            and 0 <= self.shape < 1
            and min(self.palms, self.pictures, self.comparisons) > 0
        )
        if not sound:
            raise CalibrationFault("the calibration's numbers are not a score distribution")

    @property
    def tail_rate(self) -> float:
        """The rate at which the tail of rare scores begins."""
        return self.rates[-1]

    def fmr_at(self, score: float) -> float:
        """Return the share of non-mated comparisons with at least this score."""
        excess = (score - self.scores[-1]) / self.scale
        if excess > 0:
            return self.tail_rate * _survival(excess, self.shape)
        return float(np.exp(np.interp(score, self.scores, np.log(self.rates))))

    def threshold_for_fmr(self, fmr: float) -> float:
        """Return the lowest score that this share reaches."""
        if fmr < self.tail_rate:
            return self.scores[-1] + self.scale * _excess(fmr / self.tail_rate, self.shape)
        log_rates = np.log(self.rates)[::-1]
        return float(np.interp(math.log(fmr), log_rates, self.scores[::-1]))


@dataclass(frozen=True, slots=True)
class Calibration:
    """The scores of one extractor.

    Stated rates are ``CALIBRATION_SAFETY`` times the worst set's: other sensors are worse.
    """

    extractor: ExtractorId
    non_mated: tuple[NonMatedScores, ...]
    mated: tuple[MatedScores, ...] = ()
    vector_penalty: VectorPenalty = NO_PENALTY

    def __post_init__(self) -> None:
        """Raise ``CalibrationFault`` without a set."""
        if not self.non_mated:
            raise CalibrationFault("the calibration has no data")

    def fmr_at(self, score: float) -> float:
        """Return a threshold's stated false match rate. Raises ``CalibrationFault`` for NaN."""
        if math.isnan(score):
            raise CalibrationFault("the score is not a number")
        return min(1.0, CALIBRATION_SAFETY * max(fit.fmr_at(score) for fit in self.non_mated))

    def threshold_for_fmr(self, fmr: float) -> float:
        """Return the threshold that keeps a false match rate; above 1 if none does.

        Raises ``CalibrationFault`` unless the rate is above 0 and at most 1.
        """
        _require_rate(fmr)
        return max(fit.threshold_for_fmr(fmr / CALIBRATION_SAFETY) for fit in self.non_mated)

    @property
    def margin(self) -> float:
        """Least lead of the best over the second-best palm; above 0.

        Exact at a stated FMR of 1e-4, at others only where the tail is exponential.
        """
        usual, rare = (1e-4 / CALIBRATION_SAFETY / n for n in (1, SECOND_BEST_RATIO))
        leads = (f.threshold_for_fmr(rare) - f.threshold_for_fmr(usual) for f in self.non_mated)
        return max(leads)

    def fnmr_at(self, threshold: float) -> float | None:
        """Return the worst set's false non-match rate; None if unknown."""
        return max((fit.fnmr_at(threshold) for fit in self.mated), default=None)

    def is_extrapolated(self, fmr: float) -> bool:
        """Return whether the deciding set has too few comparisons for this rate."""
        _require_rate(fmr)
        rate = fmr / CALIBRATION_SAFETY
        deciding = max(self.non_mated, key=lambda fit: fit.threshold_for_fmr(rate))
        return rate * deciding.comparisons < RULE_OF


PALMS_PER_PERSON: Final = 2
"""A non-mated probe may be of two palms."""

MAX_VERIFIED_REFERENCES: Final = 8
"""A search is at least as strict as a verification of this many comparisons."""

_NON_MATED: Final = TypeAdapter(tuple[NonMatedScores, ...])
_MATED: Final = TypeAdapter(tuple[MatedScores, ...])


def threshold_for_fpir(calibration: Calibration, target_fpir: float, comparisons: int) -> float:
    """Return the threshold of one identification."""
    return calibration.threshold_for_fmr(fmr_for_fpir(target_fpir, comparisons))


def threshold_for_search(
    calibration: Calibration, target_fmr: float, target_fpir: float, comparisons: int
) -> float:
    """Return the threshold of a search by one person, at least that of a verification. E25."""
    searched = threshold_for_fpir(calibration, target_fpir, comparisons * PALMS_PER_PERSON)
    few = min(comparisons, MAX_VERIFIED_REFERENCES)
    return max(searched, threshold_for_fpir(calibration, target_fmr, few))


def fmr_for_fpir(target_fpir: float, comparisons: int) -> float:
    """Return the FMR for a target FPIR: FPIR(N) = 1 − (1 − FMR)^N. ISO/IEC 19795-1.

    An upper bound, since the N comparisons of one search are not independent. Raises
    ``CalibrationFault`` unless 0 < FPIR < 1 and N ≥ 1.
    """
    if not 0 < target_fpir < 1:
        raise CalibrationFault("a false positive identification rate lies between 0 and 1")
    if comparisons < 1:
        raise CalibrationFault("an identification makes at least one comparison")
    return -math.expm1(math.log1p(-target_fpir) / comparisons)


def load_calibration(
    extractor_id: ExtractorId, *, own: Path | None = None, folder: Path = CALIBRATIONS
) -> Calibration:
    """Read an extractor's calibration: ``own`` instead of the shipped one if it is given.

    Raises ``CalibrationFault``; also if ``own`` is fitted to other scores, or to too few.
    """
    path = folder / f"{extractor_id}.toml"
    if not path.is_file():
        raise CalibrationFault(f"no calibration for the extractor {extractor_id}")
    shipped = parse_calibration(path.read_text("utf-8"), extractor_id)
    return shipped if own is None else _own_calibration(own, shipped)


def _own_calibration(path: Path, shipped: Calibration) -> Calibration:
    try:
        found = parse_calibration(path.read_text("utf-8"), shipped.extractor)
    except (OSError, UnicodeDecodeError) as fault:
        raise CalibrationFault(f"the calibration {path} cannot be read") from fault
    if found.vector_penalty != shipped.vector_penalty:
        raise CalibrationFault("the calibration was fitted to scores with another penalty")
    if any(fit.comparisons * fit.tail_rate < RULE_OF for fit in found.non_mated):
        raise CalibrationFault("the calibration has too few comparisons: use more palms")
    return found


def parse_calibration(text: str, extractor_id: ExtractorId) -> Calibration:
    """Parse a calibration in TOML. Raises ``CalibrationFault``."""
    try:
        document = tomllib.loads(text)
        fits = _NON_MATED.validate_python(document["fit"])
        mated = _MATED.validate_python(document.get("mated", ()))
        penalty = parse_vector_penalty(document)
        extractor = document["extractor"]
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError, OverflowError) as fault:
        raise CalibrationFault("the calibration is damaged") from fault
    if extractor != extractor_id:
        raise CalibrationFault("the calibration is of another extractor")
    return Calibration(extractor_id, fits, mated, penalty)


def _survival(excess: float, shape: float) -> float:
    """Return the share of the tail beyond an excess."""
    if shape == 0:
        return math.exp(-excess)
    return float((1 + shape * excess) ** (-1 / shape))


def _excess(share: float, shape: float) -> float:
    if shape == 0:
        return -math.log(share)
    return float((share**-shape - 1) / shape)


def _require_rate(fmr: float) -> None:
    if not 0 < fmr <= 1:
        raise CalibrationFault("a false match rate is above 0 and at most 1")

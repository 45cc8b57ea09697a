"""Rates of the operator become thresholds by the calibration that is committed."""

from __future__ import annotations

import pytest

from engine.calibrate import load_calibration, threshold_for_fpir
from engine.extract import ClassicalExtractor
from mobile_api.thresholds import CalibratedThresholds


@pytest.fixture
def thresholds() -> CalibratedThresholds:
    """Give the thresholds of the shipped extractor."""
    calibration = load_calibration(ClassicalExtractor().extractor_id)
    return CalibratedThresholds(calibration, target_fmr=1e-4, target_fpir=1e-3)


def test_verification_is_at_the_false_match_rate(thresholds: CalibratedThresholds) -> None:
    """One comparison, one rate."""
    calibration = load_calibration(ClassicalExtractor().extractor_id)

    assert thresholds.verification() == calibration.threshold_for_fmr(1e-4)


def test_naming_nobody_is_never_easier_than_naming_somebody(
    thresholds: CalibratedThresholds,
) -> None:
    """In a small gallery the rate of a search alone would ask less than a comparison does."""
    assert thresholds.identification(1) == thresholds.verification()


def test_identification_is_stricter_the_more_is_compared(
    thresholds: CalibratedThresholds,
) -> None:
    """The operator's rate holds for every size of the gallery."""
    calibration = load_calibration(ClassicalExtractor().extractor_id)
    asked = [thresholds.identification(comparisons) for comparisons in (10, 1_000, 100_000)]

    assert asked == sorted(asked)
    assert asked[0] < asked[-1]
    assert asked[1] == threshold_for_fpir(calibration, 1e-3, 1_000)

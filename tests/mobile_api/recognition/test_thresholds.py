"""Rates of the operator become thresholds by the calibration that is committed."""

import dataclasses

import pytest

from engine.decision.calibration import load_calibration
from mobile_api.recognition.matcher import (
    CalibratedThresholds,
    operating_point,
)
from tests.support.palms.reference_extractor import ReferenceExtractor


@pytest.fixture
def thresholds() -> CalibratedThresholds:
    """Give the thresholds of the shipped extractor."""
    calibration = load_calibration(ReferenceExtractor().extractor_id)
    return CalibratedThresholds(calibration, target_fmr=1e-4, target_fpir=1e-3)


def test_naming_no_account_is_never_easier_than_naming_one(
    thresholds: CalibratedThresholds,
) -> None:
    """In a small gallery the rate of a search alone would ask less than a comparison does."""
    assert thresholds.identification(1) == thresholds.verification()
    assert thresholds.identification(3) == thresholds.verification(3)


def test_a_size_tells_threshold_cost_and_evidence(thresholds: CalibratedThresholds) -> None:
    """What ``thenar gallery calibrate`` shows is what the service uses."""
    calibration = load_calibration(ReferenceExtractor().extractor_id)
    small, large = (operating_point(calibration, 0.5, rows) for rows in (10, 10**6))

    assert large.threshold > small.threshold
    assert large.is_extrapolated
    assert not small.is_extrapolated
    assert operating_point(calibration, 1e-3, 1_000).threshold == thresholds.identification(
        1_000
    )
    assert operating_point(calibration, 1e-3, 500, samples=2) == dataclasses.replace(
        operating_point(calibration, 1e-3, 1_000), rows=500
    )
    assert small.fnir is not None
    assert large.fnir is not None
    assert 0 < small.fnir <= large.fnir < 1

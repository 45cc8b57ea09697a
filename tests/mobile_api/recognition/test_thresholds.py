"""Rates of the operator become thresholds by the calibration that is committed."""

import pytest

from engine.decision.calibration import PALMS_PER_PERSON, load_calibration, threshold_for_fpir
from mobile_api.recognition.thresholds import CalibratedThresholds
from tests.support.palms.reference_extractor import ReferenceExtractor


@pytest.fixture
def thresholds() -> CalibratedThresholds:
    """Give the thresholds of the shipped extractor."""
    calibration = load_calibration(ReferenceExtractor().extractor_id)
    return CalibratedThresholds(calibration, target_fmr=1e-4, target_fpir=1e-3)


def test_verification_is_at_the_false_match_rate(thresholds: CalibratedThresholds) -> None:
    """One comparison, one rate."""
    calibration = load_calibration(ReferenceExtractor().extractor_id)

    assert thresholds.verification() == calibration.threshold_for_fmr(1e-4)


def test_naming_no_account_is_never_easier_than_naming_one(
    thresholds: CalibratedThresholds,
) -> None:
    """In a small gallery the rate of a search alone would ask less than a comparison does."""
    assert thresholds.identification(1) == thresholds.verification()
    assert thresholds.identification(3) == thresholds.verification(3)


def test_the_best_of_many_references_needs_more(thresholds: CalibratedThresholds) -> None:
    """A false match has as many chances as there are references; the rate is of all of them."""
    asked = [thresholds.verification(comparisons) for comparisons in (1, 2, 8)]

    assert asked[0] < asked[1] < asked[2]


def test_identification_is_stricter_the_more_is_compared(
    thresholds: CalibratedThresholds,
) -> None:
    """The operator's rate holds for every size of the gallery."""
    calibration = load_calibration(ReferenceExtractor().extractor_id)
    asked = [thresholds.identification(comparisons) for comparisons in (10, 1_000, 100_000)]

    assert asked == sorted(asked)
    assert asked[0] < asked[-1]
    assert asked[1] == threshold_for_fpir(calibration, 1e-3, PALMS_PER_PERSON * 1_000)

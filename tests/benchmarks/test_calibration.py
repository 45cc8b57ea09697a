"""From folders of pictures to the file that the service reads its thresholds from."""

import cv2
import numpy as np
import pytest

from benchmarks.calibration.fit import calibration_toml, fit_set
from engine.comparison.compare import VectorPenalty
from engine.decision.calibration import (
    Calibration,
    MatedScores,
    NonMatedScores,
    parse_calibration,
)
from engine.hand.landmarks import LandmarkLocator
from engine.pipeline import PalmPipeline
from engine.types import ExtractorId
from tests.engine.test_extract import palm
from tests.support.palms.hand_models import SeeingDetector, SeeingLandmarks, open_palm
from tests.support.palms.manifest import write_manifest
from tests.support.palms.reference_extractor import ReferenceExtractor

DETECTOR = SeeingDetector(np.zeros(18))

PIPELINE = PalmPipeline(
    LandmarkLocator(DETECTOR, SeeingLandmarks(open_palm())), ReferenceExtractor()
)


@pytest.fixture(scope="module")
def regions(tmp_path_factory):
    """A set of 60 palms, two regions each, and a picture that is none."""
    folder = tmp_path_factory.mktemp("sets") / "drawn-regions"
    folder.mkdir()
    rows = []
    for number in range(60):
        for shot in range(2):
            name = f"{number}-{shot}.png"
            grey = palm(number, shot=shot, size=128)[..., 0]
            cv2.imwrite(str(folder / name), grey)
            rows.append((name, f"palm{number}", "1", "L" if number % 3 else "R", "roi"))
    return write_manifest(folder, rows)


def test_a_set_of_regions_is_fitted(regions):
    """Left with left, right with right, never a palm with itself."""
    fit, mated = fit_set(regions, PIPELINE, 2)

    assert (mated.data, mated.palms, mated.comparisons) == ("drawn-regions", 60, 60)
    assert mated.fnmr_at(0.6) < 0.2 < mated.fnmr_at(0.99)
    assert (fit.data, fit.palms, fit.pictures) == ("drawn-regions", 60, 120)
    assert fit.comparisons == 4 * (40 * 39 // 2 + 20 * 19 // 2)
    assert 0.55 < fit.threshold_for_fmr(0.5) < 0.62 < fit.threshold_for_fmr(1e-9)
    assert not DETECTOR.looks, "regions need no hand to be located"


def test_what_is_written_is_read_back():
    """The file is read by services that never import this package."""
    fit = NonMatedScores("x", 3, 6, 90, (1.0, 0.1, 0.01), (0.0, 0.61, 0.63), 0.004, 0.1)
    mated = MatedScores("x", 3, 20, (0.1, 0.5), (0.7, 0.9))
    penalty = VectorPenalty(0.05, (0.64, 0.5, 0.4, 0.1908, -0.2))
    calibration = Calibration(ExtractorId("a-1"), (fit, fit), (mated, mated), penalty)

    written = calibration_toml(calibration)
    assert parse_calibration(written, ExtractorId("a-1")) == calibration

"""A pipeline without networks: it sees an open left palm in the middle of every picture."""

import numpy as np

from engine.errors import PresentationAttack
from engine.extract import require_good
from engine.features.competitive_code import find_lines
from engine.hand.landmarks import LandmarkLocator
from engine.pipeline import AttackCheck, PalmPipeline
from engine.types import (
    Extraction,
    PalmLandmarks,
    PalmSample,
    PalmTemplate,
    Quality,
    QualityReason,
)
from tests.support.palms.hand_models import SeeingDetector, SeeingLandmarks, open_palm
from tests.support.palms.reference_extractor import cut_roi, encode_lines
from tests.support.palms.templates import FAKE_DIMENSION, FAKE_EXTRACTOR

SIDE_PX = 512
DARKEST = 30.0


class FakeExtractor:
    """Real region and code, a vector of the code's own, and one gate: not too dark."""

    extractor_id = FAKE_EXTRACTOR
    dimension = FAKE_DIMENSION

    def extract(self, sample: PalmSample, landmarks: PalmLandmarks) -> Extraction:
        """Make a template, the same one for the same picture."""
        return require_good(self.inspect(sample, landmarks))

    def inspect(self, sample: PalmSample, landmarks: PalmLandmarks) -> Extraction:
        """Make a template, however dark."""
        roi = cut_roi(sample, landmarks)
        exposure = float(roi.pixels.mean())
        reason = QualityReason.TOO_DARK if exposure < DARKEST else None
        code = encode_lines(find_lines(roi.pixels))
        vector = np.random.default_rng(code).standard_normal(FAKE_DIMENSION)
        unit = (vector / np.linalg.norm(vector)).astype(np.float32)
        template = PalmTemplate(FAKE_EXTRACTOR, roi.hand, unit, code)
        quality = Quality(
            90, reason, 1.0, exposure, 0.0, roi.residual, 1.0, roi.scale_px, 1.0, 1.0
        )
        return Extraction(template, roi, quality)


def suspect(sample: PalmSample, landmarks: PalmLandmarks) -> None:
    """Refuse every sample as an artefact."""
    raise PresentationAttack("everything is an artefact")


def fake_pipeline(
    attack_check: AttackCheck | None = None, *, presence: float = 1.0, box_px: float = 60
) -> PalmPipeline:
    """A pipeline whose locator sees a palm with a certain presence.

    ``box_px`` is the side of its box in the detector's square.
    """
    row = np.zeros(18)
    row[:4] = 96, 120, box_px, box_px
    row[4:6], row[8:10] = (96, 150), (96, 90)
    locator = LandmarkLocator(
        SeeingDetector(row), SeeingLandmarks(open_palm(), presence=(presence,))
    )
    return PalmPipeline(locator, FakeExtractor(), attack_check=attack_check)


def palm_pixels(seed: int, *, brightness: float = 1.0) -> np.ndarray:
    """A picture with a random texture where the palm is seen: BGR, uint8."""
    noise = np.random.default_rng(seed).uniform(90, 210, (16, 16, 3))
    grown = np.kron(noise, np.ones((SIDE_PX // 16, SIDE_PX // 16, 1)))
    return (brightness * grown).astype(np.uint8)

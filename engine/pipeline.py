"""The whole path of a palm, readable at a glance: start reading the engine here.

Bytes become a sample, the sample is looked at for an attack, its hand is located, and the
extractor cuts the region of interest, demands quality and makes the template.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.decode import decode_sample
from engine.extract import ClassicalExtractor
from engine.landmarks import LandmarkLocator
from engine.onnx_model import load_model
from engine.presentation_attack import NoAttackDetection

if TYPE_CHECKING:
    from engine.extract import Extractor
    from engine.presentation_attack import AttackDetector
    from engine.settings import EngineSettings
    from engine.types import Extraction


class PalmPipeline:
    """From a picture to a template. Safe to use from several threads at once.

    Args:
        locator: finds the hand.
        extractor: makes the template.
        attack_detector: tells palms from artefacts.
    """

    def __init__(
        self, locator: LandmarkLocator, extractor: Extractor, attack_detector: AttackDetector
    ) -> None:
        self.locator = locator
        self.extractor = extractor
        self.attack_detector = attack_detector

    def extract(self, image: bytes) -> Extraction:
        """Make a template from a picture that a stranger sent.

        Raises:
            SampleRefused: the bytes are no picture we are willing to decode.
            PresentationAttack: the picture shows an artefact.
            FailureToAcquire: the picture gives no template; says why.
        """
        sample = decode_sample(image)
        self.attack_detector.require_bona_fide(sample)
        landmarks = self.locator.locate(sample)
        return self.extractor.extract(sample, landmarks)


def load_pipeline(settings: EngineSettings) -> PalmPipeline:
    """Load the networks and wire the steps.

    Raises:
        ModelFault: a network is missing, damaged or not the one in the manifest.
    """
    return PalmPipeline(
        locator=LandmarkLocator(
            detector=load_model("hand_detector", settings),
            landmark_model=load_model("hand_landmarks", settings),
        ),
        extractor=ClassicalExtractor(),
        attack_detector=NoAttackDetection(),
    )

"""The whole path of a palm, readable at a glance: start reading the engine here.

Bytes become a sample, the sample is looked at for an attack, its hand is locate, and the
extractor cuts the region of interest, demands quality and makes the template.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.decode import decode_sample
from engine.errors import ModelFault
from engine.extract import load_extractor
from engine.hand.landmarks import LandmarkLocator
from engine.networks.onnx_model import load_model
from engine.presentation_attack.detector import NoAttackDetection

if TYPE_CHECKING:
    from engine.extract import Extractor
    from engine.presentation_attack.detector import AttackDetector
    from engine.settings import EngineSettings
    from engine.types import Extraction, PalmLandmarks, PalmSample


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
        return self.extractor.extract(*self.locate(image))

    def locate(self, image: bytes) -> tuple[PalmSample, PalmLandmarks]:
        """Find the hand in a picture that a stranger sent.

        Raises:
            SampleRefused: the bytes are no picture we are willing to decode.
            PresentationAttack: the picture shows an artefact.
            FailureToAcquire: there is no hand.
        """
        sample = decode_sample(image)
        self.attack_detector.require_bona_fide(sample)
        return sample, self.locator.locate(sample)


class PairedPipeline:
    """From a picture to the templates of two extractors; the hand is locate once.

    Args:
        pipeline: of the extractor that people move to.
        previous: the extractor that people move from.
    """

    def __init__(self, pipeline: PalmPipeline, previous: Extractor) -> None:
        self.pipeline, self.previous = pipeline, previous

    def extract_pair(self, image: bytes) -> tuple[Extraction, Extraction]:
        """Make both templates from a picture that a stranger sent, the previous one last.

        Raises:
            SampleRefused: the bytes are no picture we are willing to decode.
            PresentationAttack: the picture shows an artefact.
            FailureToAcquire: the picture does not give both templates; says why.
        """
        palm = self.pipeline.locate(image)
        return self.pipeline.extractor.extract(*palm), self.previous.extract(*palm)


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
        extractor=load_extractor(settings),
        attack_detector=NoAttackDetection(),
    )


def load_pair(pipeline: PalmPipeline, settings: EngineSettings) -> PairedPipeline | None:
    """Load the extractor that people move from beside a pipeline; None if nobody moves.

    Raises:
        ModelFault: it is missing, damaged, no extractor, or that of the pipeline.
    """
    if not settings.previous_palm_graph:
        return None
    graph = settings.previous_palm_graph
    previous = load_extractor(settings.model_copy(update={"palm_graph": graph}))
    if previous.extractor_id == pipeline.extractor.extractor_id:
        raise ModelFault(f"{graph} is the extractor that people are to move to")
    return PairedPipeline(pipeline, previous)

"""The steps from a picture to a template, in order. Start reading the engine here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.decode import decode_sample
from engine.errors import ModelFault
from engine.extract import load_extractor
from engine.hand.landmarks import LandmarkLocator
from engine.networks.onnx_model import load_model
from engine.presentation_attack.loading import load_single_frame_detector

if TYPE_CHECKING:
    from engine.extract import Extractor
    from engine.presentation_attack.detector import AttackDetector
    from engine.settings import EngineSettings
    from engine.types import Extraction, PalmLandmarks, PalmSample


class PalmPipeline:
    """Makes templates from pictures. Thread-safe."""

    def __init__(
        self, locator: LandmarkLocator, extractor: Extractor, attack_detector: AttackDetector
    ) -> None:
        self.locator = locator
        self.extractor = extractor
        self.attack_detector = attack_detector

    def extract(self, image: bytes) -> Extraction:
        """Make a template from an untrusted picture.

        Raises:
            SampleRefused: not a picture that we decode.
            PresentationAttack: the picture shows an artefact.
            FailureToAcquire: no template; says why.
        """
        return self.extractor.extract(*self.locate(image))

    def locate(self, image: bytes) -> tuple[PalmSample, PalmLandmarks]:
        """Decode an untrusted picture and find its hand. Raises like ``extract``."""
        sample = decode_sample(image)
        landmarks = self.locator.locate(sample)
        self.attack_detector.require_bona_fide(sample, landmarks)
        return sample, landmarks


class PairedPipeline:
    """Makes templates of two extractors, while people move from ``previous`` to the new one."""

    def __init__(self, pipeline: PalmPipeline, previous: Extractor) -> None:
        self.pipeline, self.previous = pipeline, previous

    def extract_pair(self, image: bytes) -> tuple[Extraction, Extraction]:
        """Make both templates, the previous one last. Raises like ``PalmPipeline.extract``."""
        palm = self.pipeline.locate(image)
        return self.pipeline.extractor.extract(*palm), self.previous.extract(*palm)


def load_pipeline(settings: EngineSettings) -> PalmPipeline:
    """Load the networks and build the pipeline. Raises ``ModelFault``."""
    return PalmPipeline(
        locator=LandmarkLocator(
            detector=load_model("hand_detector", settings),
            landmark_model=load_model("hand_landmarks", settings),
        ),
        extractor=load_extractor(settings),
        attack_detector=load_single_frame_detector(settings),
    )


def load_pair(pipeline: PalmPipeline, settings: EngineSettings) -> PairedPipeline | None:
    """Add the previous extractor, if one is set. Raises ``ModelFault``."""
    if not settings.previous_palm_graph:
        return None
    graph = settings.previous_palm_graph
    previous = load_extractor(settings.model_copy(update={"palm_graph": graph}))
    if previous.extractor_id == pipeline.extractor.extractor_id:
        raise ModelFault(f"{graph} is already the current extractor, not a previous one")
    return PairedPipeline(pipeline, previous)

"""The steps from a picture to a template, in order. Start reading the engine here."""

from collections.abc import Callable

import numpy as np

from engine.decode import FULL_SIDE_PX, decode_sample
from engine.errors import ModelFault
from engine.extract import Extractor, load_extractor
from engine.hand.landmarks import LandmarkLocator
from engine.networks.onnx_model import load_model
from engine.parameters import DETAILED_PALM_PX, SEARCHED_SIDE_PX
from engine.presentation_attack.traces import require_no_traces
from engine.settings import EngineSettings
from engine.types import Extraction, PalmLandmarks, PalmSample

AttackCheck = Callable[[PalmSample, PalmLandmarks], None]

_INDEX, _LITTLE = 5, 17


class PalmPipeline:
    """Makes templates from pictures. Thread-safe.

    While people move from one extractor to another, ``previous`` is the one that they move
    from.
    """

    def __init__(
        self,
        locator: LandmarkLocator,
        extractor: Extractor,
        *,
        previous: Extractor | None = None,
        attack_check: AttackCheck | None = None,
    ) -> None:
        self.locator = locator
        self.extractor, self.previous = extractor, previous
        self.attack_check = attack_check

    def extract(self, image: bytes | PalmSample) -> Extraction:
        """Make a template from an untrusted picture, or from a sample.

        Raises:
            SampleRefused: not a picture that we decode.
            PresentationAttack: the picture shows an artefact.
            FailureToAcquire: no template; says why.
        """
        return self.extractor.extract(*self.locate(image))

    def extract_each(self, image: bytes) -> list[Extraction]:
        """Make a template of each extractor, the previous one last. Raises like ``extract``."""
        palm = self.locate(image)
        extractors = [self.extractor, self.previous] if self.previous else [self.extractor]
        return [extractor.extract(*palm) for extractor in extractors]

    def decode(self, image: bytes | PalmSample) -> PalmSample:
        """Decode an untrusted picture, large enough to find hands. Raises ``SampleRefused``.

        A check for artefacts needs the finest detail.
        """
        if isinstance(image, PalmSample):
            return image
        side_px = FULL_SIDE_PX if self.attack_check else SEARCHED_SIDE_PX
        return decode_sample(image, side_px=side_px)

    def locate(
        self, image: bytes | PalmSample, sample: PalmSample | None = None
    ) -> tuple[PalmSample, PalmLandmarks]:
        """Find the hand in an untrusted picture, of which ``sample`` is the decoded copy.

        Decodes it larger for a palm that is small in it. Raises like ``extract``.
        """
        sample = sample or self.decode(image)
        landmarks = self.locator.locate(sample)
        width = float(np.hypot(*(landmarks.points[_LITTLE] - landmarks.points[_INDEX])))
        is_small = width < DETAILED_PALM_PX and max(sample.pixels.shape) < FULL_SIDE_PX
        if is_small and isinstance(image, bytes):
            small, sample = sample, decode_sample(image)
            landmarks = _carried(landmarks, small, sample)
        if self.attack_check:
            self.attack_check(sample, landmarks)
        return sample, landmarks


def load_pipeline(settings: EngineSettings) -> PalmPipeline:
    """Load the networks and build the pipeline. Raises ``ModelFault``."""
    extractor = load_extractor(settings)
    return PalmPipeline(
        locator=LandmarkLocator(
            detector=load_model("hand_detector", settings),
            landmark_model=load_model("hand_landmarks", settings),
        ),
        extractor=extractor,
        previous=_previous(settings, extractor),
        attack_check=require_no_traces if settings.attack_detection == "passive" else None,
    )


def _previous(settings: EngineSettings, current: Extractor) -> Extractor | None:
    """Load the extractor that people move from, if one is set."""
    if not settings.previous_palm_graph:
        return None
    graph = settings.previous_palm_graph
    previous = load_extractor(settings.model_copy(update={"palm_graph": graph}))
    if previous.extractor_id == current.extractor_id:
        raise ModelFault(f"{graph} is already the current extractor, not a previous one")
    return previous


def _carried(landmarks: PalmLandmarks, small: PalmSample, large: PalmSample) -> PalmLandmarks:
    """Return the landmarks in the pixels of a larger copy."""
    before, after = (np.array(one.pixels.shape[1::-1]) for one in (small, large))
    points = landmarks.points * (after / before).astype(np.float32)
    return PalmLandmarks(points, landmarks.hand, landmarks.presence)

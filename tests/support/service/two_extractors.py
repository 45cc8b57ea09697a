"""Two extractors side by side: what the fake engine sees, under an old name and a new one."""

import dataclasses

from engine.presentation_attack.session import SessionDetector
from engine.types import Extraction, ExtractorId, PalmTemplate
from mobile_api.recognition.load import LoadedExtractor, Recognition
from tests.support.palms.fake_engine import (
    FAKE_DIMENSION,
    FAKE_EXTRACTOR,
    FakePipeline,
    template,
)
from tests.support.service.mobile_api import FakeThresholds, MobileWorld

NEW_EXTRACTOR = ExtractorId("fake-2")


def renamed(old: PalmTemplate) -> PalmTemplate:
    """Return the new extractor's template; comparing the two is refused by their names."""
    return dataclasses.replace(old, extractor=NEW_EXTRACTOR)


class FakePair:
    """Both extractors.

    Attributes:
        odd: pictures in which the new extractor sees another person's palm.
        looks: how often both looked.
    """

    def __init__(self) -> None:
        self.odd: dict[bytes, int] = {}
        self.looks = 0

    def extract(self, image: bytes) -> Extraction:
        """Return what the new extractor sees."""
        seen = FakePipeline().extract(image)
        if image in self.odd:
            other = template(self.odd[image], seen.template.hand)
            return dataclasses.replace(seen, template=renamed(other))
        return dataclasses.replace(seen, template=renamed(seen.template))

    def extract_each(self, image: bytes) -> list[Extraction]:
        """Return what both see, the old one last."""
        self.looks += 1
        return [self.extract(image), FakePipeline().extract(image)]


def begin_to_move(world: MobileWorld, detector: SessionDetector | None = None) -> FakePair:
    """Start another process of the service, which runs both extractors."""
    pair = FakePair()
    both = [
        LoadedExtractor(each, FAKE_DIMENSION, FakeThresholds())
        for each in (NEW_EXTRACTOR, FAKE_EXTRACTOR)
    ]
    world.recognition = Recognition(pair, both, detector)
    world.client = world.start()
    return pair

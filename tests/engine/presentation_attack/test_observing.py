"""observing: what is kept of a frame, without networks."""

import numpy as np

from engine.hand.landmarks import LandmarkLocator
from engine.presentation_attack.judging import FrameObserver
from engine.presentation_attack.session import Frame, Observation, Phase
from engine.types import Hand, PalmSample
from tests.support.palms.hand_models import SeeingDetector, SeeingLandmarks, open_palm
from tests.support.palms.pipeline import FakeExtractor, palm_pixels


def frame(phase: Phase, *, brightness: float = 1.0) -> Frame:
    """A picture of the fake palm."""
    return Frame(PalmSample(palm_pixels(1, brightness=brightness)), 0.5, phase)


def observer(*presence: float) -> tuple[FrameObserver, SeeingDetector]:
    """An observer with a detector that counts its looks."""
    row = np.zeros(18)
    row[:4] = 96, 120, 60, 60
    row[4:6], row[8:10] = (96, 150), (96, 90)
    detector = SeeingDetector(row)
    landmarks = SeeingLandmarks(open_palm(), presence=presence or (1.0,))
    return FrameObserver(LandmarkLocator(detector, landmarks), [FakeExtractor()]), detector


def test_an_open_hand_gives_a_template_and_its_surroundings():
    """All that is judged later, and no pixels."""
    watching, _ = observer()

    seen = watching.observe(frame(Phase.OPEN))

    assert (seen.hands, seen.hand, len(seen.templates)) == (1, Hand.LEFT, 1)
    assert np.isfinite(seen.colour).all()
    assert Observation.from_bytes(seen.to_bytes()).digest == seen.digest


def test_the_hand_is_followed_and_searched_again_where_a_step_begins():
    """The detector costs as much as all else."""
    watching, detector = observer()
    first = watching.observe(frame(Phase.OPEN))

    watching.observe(frame(Phase.MOVED), first)
    assert len(detector.looks) == 1

    watching.observe(frame(Phase.OPEN), first)
    assert len(detector.looks) == 2


def test_a_hand_that_is_gone_is_no_fault():
    """The judge says so at the end, not the observer."""
    watching, _ = observer(1.0, 1.0, 0.0)

    seen = watching.observe(frame(Phase.MOVED), watching.observe(frame(Phase.OPEN)))

    assert (seen.hands, seen.hand, seen.templates) == (0, None, ())


def test_a_palm_that_gives_no_template_is_still_followed():
    """Too dark for a template, light enough for landmarks."""
    watching, _ = observer()

    seen = watching.observe(frame(Phase.OPEN, brightness=0.1))

    assert seen.hand is Hand.LEFT
    assert seen.templates == ()

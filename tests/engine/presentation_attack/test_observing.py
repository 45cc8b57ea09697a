"""observing: what is kept of a frame, and that it comes back unchanged between steps."""

import dataclasses

import numpy as np
import pytest

from engine.hand.landmarks import LandmarkLocator
from engine.presentation_attack.judging import SessionJudge
from engine.presentation_attack.session import Frame, Observation, Phase, open_templates
from engine.types import Hand, PalmSample
from tests.engine.comparison.test_alignment import template as bent_template
from tests.support.palms.hand_models import SeeingDetector, SeeingLandmarks, open_palm
from tests.support.palms.pipeline import FakeExtractor, palm_pixels
from tests.support.palms.templates import template_of


def frame(phase: Phase, *, brightness: float = 1.0) -> Frame:
    """A picture of the fake palm."""
    return Frame(PalmSample(palm_pixels(1, brightness=brightness)), 0.5, phase)


def observer(*presence: float) -> tuple[SessionJudge, SeeingDetector]:
    """An observer with a detector that counts its looks."""
    row = np.zeros(18)
    row[:4] = 96, 120, 60, 60
    row[4:6], row[8:10] = (96, 150), (96, 90)
    detector = SeeingDetector(row)
    landmarks = SeeingLandmarks(open_palm(), presence=presence or (1.0,))
    return SessionJudge(LandmarkLocator(detector, landmarks), [FakeExtractor()]), detector


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


SEEN = Observation(
    at_s=0.25,
    phase=Phase.OPEN,
    size=(640, 480),
    digest=bytes(range(16)),
    hands=1,
    hand=Hand.LEFT,
    points=np.random.default_rng(1).uniform(0, 480, (21, 2)).astype(np.float32),
    presence=0.9,
    templates=(template_of(1),),
    quality=77,
    colour=np.full(3, 0.25, np.float32),
    traces=np.arange(5, dtype=np.float32),
    look=np.arange(7, dtype=np.float32),
)


@pytest.mark.parametrize(
    "seen",
    [
        dataclasses.replace(SEEN, templates=(bent_template(0),)),
        Observation(0.5, Phase.MOVED, (480, 640), b"\x01"),
    ],
    ids=str,
)
def test_an_observation_survives_being_kept(seen):
    """Another process judges what this one saw."""
    kept = Observation.from_bytes(seen.to_bytes())

    for field in dataclasses.fields(Observation):
        before, after = getattr(seen, field.name), getattr(kept, field.name)
        if field.name == "templates":
            for name in ("code", "dense") if before else ():
                np.testing.assert_array_equal(getattr(after[0], name), getattr(before[0], name))
        else:
            np.testing.assert_array_equal(after, before)


def test_an_observation_prints_no_biometrics():
    """Logs hold no landmarks."""
    assert "points" not in repr(SEEN)
    assert "templates" not in repr(SEEN)


def test_what_is_slipped_among_open_hands_comes_last_however_good_it_is():
    """Nor does a moving hand give a template: a folded thumb hides the palm."""
    still = dataclasses.replace(SEEN, quality=90, templates=(template_of(2),))
    clear = dataclasses.replace(SEEN, quality=80, templates=(template_of(1),))
    moved = dataclasses.replace(SEEN, phase=Phase.MOVED, quality=99)

    found = open_templates([[SEEN, moved], [still], [clear]])

    assert found == [clear.templates, SEEN.templates, still.templates]

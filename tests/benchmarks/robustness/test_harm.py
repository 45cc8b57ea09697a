"""Changes of pictures have exactly the stated strength."""

from multiprocessing.reduction import ForkingPickler

import numpy as np
import pytest

from benchmarks.robustness.conditions import CONDITIONS, Shown
from benchmarks.robustness.covers import COVERS
from benchmarks.robustness.picture_harm import square_of
from engine.roi import landmarks_on_square
from engine.types import Hand, PalmSample
from tests.engine.test_extract import palm

BY_NAME = {one.name: one for one in CONDITIONS}


@pytest.fixture(scope="module")
def crop():
    """A drawn crop."""
    sample = PalmSample(palm(1, size=128))
    landmarks = landmarks_on_square(sample.pixels.shape, Hand.LEFT)
    return Shown(sample, landmarks, "roi")


def harmed(shown, name, strength):
    """Apply a condition to a picture."""
    return BY_NAME[name].apply(shown, strength, np.random.default_rng(3))


@pytest.mark.parametrize("strength", [5, 20])
def test_a_shift_is_a_share_of_the_side(crop, strength):
    """Curves of several sets are compared by it, whatever the size of their pictures."""
    before = square_of(crop.landmarks)
    after = square_of(harmed(crop, "shift", strength)[1])

    moved = np.hypot(*(after.centre - before.centre))
    assert moved == pytest.approx(strength / 100 * before.side_px, rel=1e-3)
    assert after.side_px == pytest.approx(before.side_px, rel=1e-4)


def test_a_turn_is_about_the_middle_of_the_palm(crop):
    """A turn about a corner would be a shift, too."""
    before = square_of(crop.landmarks)
    landmarks = harmed(crop, "turn", 15)[1]
    after = square_of(landmarks)

    along = [points[9] - points[0] for points in (crop.landmarks.points, landmarks.points)]
    angles = [np.degrees(np.arctan2(*one)) for one in along]
    assert abs(angles[1] - angles[0]) == pytest.approx(15, abs=0.01)
    assert np.allclose(after.centre, before.centre, atol=0.01)


def test_a_stop_halves_the_light(crop):
    """In linear light, as a camera sees it."""
    levels = crop.sample.pixels.astype(float)
    darker = harmed(crop, "darkness", 2)[0].pixels.astype(float)

    assert np.allclose((darker / 255) ** 2.2 * 4, (levels / 255) ** 2.2, atol=0.03)


def test_a_cut_hides_its_share_of_the_palm(crop):
    """A crop's part is black, as outside the picture; a hand's picture ends there."""
    black = (harmed(crop, "cut edge", 20)[0].pixels == 0).all(axis=2).mean()
    hand = Shown(crop.sample, crop.landmarks, "hand")
    height, width = harmed(hand, "cut edge", 20)[0].pixels.shape[:2]

    assert black == pytest.approx(0.20, abs=0.02)
    assert height * width / 128**2 == pytest.approx(0.80, abs=0.02)


@pytest.mark.parametrize("kind", COVERS)
def test_a_cover_hides_its_share_of_the_palm_and_nothing_else(crop, kind):
    """The region stays, as a cover is no misplacement; all round it is the bare picture."""
    worn, landmarks = harmed(crop, f"cover: {kind}", 30)
    changed = np.abs(worn.pixels.astype(int) - crop.sample.pixels).max(axis=2) > 2

    assert landmarks is crop.landmarks
    assert 0.17 < changed.mean() < 0.43
    assert np.array_equal(worn.pixels, harmed(crop, f"cover: {kind}", 30)[0].pixels)


def test_conditions_reach_other_processes():
    """A set is measured by as many as there are cores."""
    sent = ForkingPickler.loads(ForkingPickler.dumps(CONDITIONS))

    assert [one.name for one in sent] == list(BY_NAME)

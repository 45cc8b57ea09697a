"""What is done to pictures is what the strength says, no more and no less."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.robustness.conditions import CONDITIONS, Shown, with_room
from benchmarks.robustness.misplacement import square_of
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
    before = square_of(crop.sample, crop.landmarks)
    after = square_of(crop.sample, harmed(crop, "shift", strength)[1])

    moved = np.hypot(*(after.centre - before.centre))
    assert moved == pytest.approx(strength / 100 * before.side_px, rel=1e-3)
    assert after.side_px == pytest.approx(before.side_px, rel=1e-4)


def test_a_turn_is_about_the_middle_of_the_palm(crop):
    """A turn about a corner would be a shift, too."""
    before = square_of(crop.sample, crop.landmarks)
    landmarks = harmed(crop, "turn", 15)[1]
    after = square_of(crop.sample, landmarks)

    along = [points[9] - points[0] for points in (crop.landmarks.points, landmarks.points)]
    angles = [np.degrees(np.arctan2(*one)) for one in along]
    assert abs(angles[1] - angles[0]) == pytest.approx(15, abs=0.01)
    assert np.allclose(after.centre, before.centre, atol=0.01)


def test_a_misplaced_crop_stays_within_its_picture(crop):
    """Outside there is no skin: a black border would be another harm."""
    start = with_room(crop)
    for name in ("shift", "turn", "size"):
        condition = BY_NAME[name]
        landmarks = harmed(start, name, condition.strengths[-1])[1]
        moved = square_of(crop.sample, landmarks)
        reach = moved.side_px / 2
        assert (moved.centre - reach >= -1).all()
        assert (moved.centre + reach <= 129).all()


def test_a_stop_halves_the_light(crop):
    """In linear light, as a camera sees it."""
    levels = crop.sample.pixels.astype(float)
    darker = harmed(crop, "darkness", 2)[0].pixels.astype(float)

    assert np.allclose((darker / 255) ** 2.2 * 4, (levels / 255) ** 2.2, atol=0.03)


def test_noise_has_its_stated_deviation(crop):
    """At the grey level of most palms."""
    even = Shown(PalmSample(np.full((128, 128, 3), 110, np.uint8)), crop.landmarks, "roi")
    assert harmed(even, "noise", 16)[0].pixels.std() == pytest.approx(16, rel=0.03)


def test_motion_keeps_the_light_and_loses_detail(crop):
    """Blur is no change of exposure."""
    before = crop.sample.pixels.astype(float)
    after = harmed(crop, "motion blur", 8)[0].pixels.astype(float)

    assert after.mean() == pytest.approx(before.mean(), abs=1)
    assert np.abs(np.diff(after, axis=0)).mean() < np.abs(np.diff(before, axis=0)).mean()


def test_a_cut_hides_its_share_of_the_palm(crop):
    """A crop's part is black, as outside the picture; a hand's picture ends there."""
    black = (harmed(crop, "cut edge", 20)[0].pixels == 0).all(axis=2).mean()
    hand = Shown(crop.sample, crop.landmarks, "hand")
    height, width = harmed(hand, "cut edge", 20)[0].pixels.shape[:2]

    assert black == pytest.approx(0.20, abs=0.02)
    assert height * width / 128**2 == pytest.approx(0.80, abs=0.02)


def test_near_infrared_is_grey_and_paler_in_its_lines(crop):
    """Veins are dark and broad, lines of the skin faint."""
    seen = harmed(crop, "near infrared", 1)[0].pixels

    assert (seen[..., 0] == seen[..., 2]).all()
    assert seen.mean() < crop.sample.pixels.mean()


@pytest.mark.parametrize("condition", CONDITIONS, ids=lambda one: one.name)
def test_strengths_begin_unharmed_and_rise(condition):
    """The first point of each curve is the same comparison without harm."""
    assert condition.strengths[0] == 0
    assert list(condition.strengths) == sorted(set(condition.strengths))

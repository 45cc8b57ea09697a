"""The ladder and the gates.

First with networks that return what a test sets, then with the real ones on drawn hands.
"""

import cv2
import numpy as np
import pytest

from engine.decode import decode_sample
from engine.errors import BackOfHand, FailureToAcquire, PalmNotFound, QualityTooLow
from engine.hand.landmarks import LandmarkLocator, palmar_side, thumb_lift
from engine.parameters import HAND_BORDERS
from engine.types import Hand, PalmSample
from models.synthesis.photo import draw_photo
from tests.support.palms.drawn_palms import photo, spoilt
from tests.support.palms.hand_models import SeeingDetector, SeeingLandmarks, locator, open_palm

COLOURED = np.full((480, 640, 3), (180, 120, 100), np.uint8)
ROW = np.array([96, 96, 30, 30, 96, 110, 96, 96, 96, 80, *([96, 96] * 4)], np.float64)


def located(pixels, *, patience=0, right=0.0, lift=0.4, points=None, presence=(1.0,)):
    """Locate with networks that see one left palm in the middle of the picture."""
    detector = SeeingDetector(ROW, patience=patience)
    seen = open_palm() if points is None else points
    landmarks = SeeingLandmarks(seen, presence=presence, right=right, lift=lift)
    found = LandmarkLocator(detector, landmarks).locate(PalmSample(pixels=pixels))
    return found, detector


def test_a_palm_that_convinces_is_found_at_the_first_look():
    """The common case must not pay for the ladder."""
    found, detector = located(COLOURED)

    assert len(detector.looks) == 1
    assert found.hand is Hand.LEFT
    assert found.points.shape == (21, 2)
    assert found.points.dtype == np.float32


def test_a_grey_picture_is_tinted_at_once():
    """The detector hardly knows grey hands: without it two thirds are not found."""
    ramp = np.tile(np.linspace(0, 255, 640).astype(np.uint8)[None, :, None], (480, 1, 3))

    _, detector = located(ramp)
    bright = detector.looks[0][0, :, 96, 120]

    assert bright[0] > bright[1] > bright[2]


def test_nothing_in_the_picture_is_palm_not_found():
    """Every rung was tried and none saw a hand."""
    with pytest.raises(PalmNotFound):
        located(COLOURED, patience=2 * len(HAND_BORDERS))


@pytest.mark.parametrize("presence", [(0.4,), (0.79,), (np.nan,)])
def test_a_hand_that_is_hardly_one_is_not_found(presence):
    """The detector fires on smooth things; only the landmark network knows hands."""
    with pytest.raises(PalmNotFound):
        located(COLOURED, presence=presence)


def test_a_shape_that_is_no_open_palm_is_not_found():
    """A fist seen from its side fits the mean palm badly however certain the network is."""
    points = open_palm()
    points[0] = points[9] + (1.0, 10.0)

    with pytest.raises(PalmNotFound):
        located(COLOURED, points=points)


@pytest.mark.parametrize("value", [0.0, np.nan, 1e30])
def test_landmarks_that_make_no_sense_are_no_palm(value):
    """A network may answer anything; nothing of it may become a fault of the server."""
    with np.errstate(all="ignore"), pytest.raises(PalmNotFound):
        located(COLOURED, points=np.full((21, 2), value))


@pytest.mark.parametrize("back", [{"right": 0.99}, {"lift": -0.5}, {"lift": 0.05}])
def test_the_back_of_a_hand_is_refused_after_the_whole_ladder(back):
    """Its looks contradict its side, or its thumb lies behind it; each alone is enough."""
    with pytest.raises(BackOfHand):
        located(COLOURED, **back)


def test_a_hand_in_the_dark_is_not_called_a_back():
    """Its side cannot be seen: more light helps, another side of the hand does not."""
    with pytest.raises(QualityTooLow, match="too_dark"):
        located(COLOURED // 12, lift=-0.5)


@pytest.mark.parametrize("doubt", [{"right": 0.7}, {"lift": 0.12}])
def test_a_doubtful_palm_is_taken_when_no_rung_convinces(doubt):
    """Some palms look half like backs; refusing them all would refuse one in three hundred."""
    found, detector = located(COLOURED, **doubt)

    assert found.hand is Hand.LEFT
    assert len(detector.looks) == 2 * len(HAND_BORDERS)


def test_a_hand_too_small_to_show_lines_is_not_found():
    """The landmark network answers for hands of a few pixels, too."""
    with pytest.raises(PalmNotFound):
        located(np.full((30, 40, 3), (180, 120, 100), np.uint8))


def test_landmarks_of_a_large_picture_are_in_its_own_pixels():
    """Hands are looked for in a smaller copy; the region is cut from the sample.

    Crops lie on whole pixels of the copies, which have different sizes.
    """
    small, _ = located(COLOURED)
    large, _ = located(np.full((1920, 2560, 3), (180, 120, 100), np.uint8))

    assert np.allclose(large.points, small.points * 4, atol=4.0)


@pytest.mark.parametrize("hand", list(Hand))
@pytest.mark.parametrize("seed", range(3))
def test_drawn_hands_are_found_where_they_are_drawn(seed, hand):
    """The landmarks of the palm lie within a seventh of the palm's width of the truth."""
    drawn = draw_photo(seed, hand, 1, size_px=640)

    found = locator().locate(PalmSample(pixels=np.ascontiguousarray(drawn.pixels)))
    palm = [0, 1, 5, 9, 13, 17]
    width = np.hypot(*(drawn.joints[5] - drawn.joints[17]))
    error = np.hypot(*(found.points[palm] - drawn.joints[palm]).T)

    assert found.hand is hand
    assert found.presence > 0.9
    assert np.sqrt(np.mean(error**2)) / width < 1 / 7


def test_most_drawn_backs_of_hands_are_refused_and_no_palm_is():
    """Backs have few lines and look alike: enrolled, they would let others in."""
    hands = [(100 + seed, Hand.LEFT if seed % 2 else Hand.RIGHT) for seed in range(10)]

    palms = [answer(photo(seed, hand=hand)) for seed, hand in hands]
    backs = [answer(spoilt(f"back-{number}")) for number in range(10)]

    assert palms == ["found"] * 10
    assert backs.count("back_of_hand") > 5


def test_a_flipped_picture_is_the_other_hand():
    """Why clients must not send selfie pictures, and why duplicates are searched mirrored."""
    pixels = decode_sample(photo(1, hand=Hand.RIGHT)).pixels

    flipped = locator().locate(PalmSample(pixels=np.ascontiguousarray(pixels[:, ::-1])))

    assert flipped.hand is Hand.LEFT


def test_of_two_hands_the_larger_is_taken():
    """A person in the background may wave."""
    pixels = decode_sample(photo(0)).pixels
    large = cv2.resize(pixels, None, fx=1.5, fy=1.5)
    small = cv2.resize(decode_sample(photo(1)).pixels, None, fx=0.7, fy=0.7)
    scene = np.zeros((large.shape[0], large.shape[1] + small.shape[1], 3), np.uint8)
    scene[:, : large.shape[1]] = large
    scene[: small.shape[0], large.shape[1] :] = small

    found = locator().locate(PalmSample(pixels=scene))

    assert found.points[:, 0].max() < large.shape[1]


def answer(data):
    """Return "found" or the code of the fault."""
    try:
        locator().locate(decode_sample(data))
    except FailureToAcquire as fault:
        return fault.code
    return "found"


@pytest.mark.parametrize("quarter_turns", range(4))
def test_the_side_of_a_palm_follows_from_the_order_of_its_knuckles(quarter_turns):
    """Looks alone are wrong for one palm in a few hundred; the order never is."""
    turn = np.linalg.matrix_power(np.array([[0.0, 1.0], [-1.0, 0.0]]), quarter_turns)
    left = open_palm() @ turn

    assert palmar_side(left) is Hand.LEFT
    assert palmar_side(left * (-1, 1)) is Hand.RIGHT


@pytest.mark.parametrize("flip", [1.0, -1.0])
def test_a_thumb_before_the_palm_counts_up_whichever_hand_it_is(flip):
    """A thumb lies on the palm's side: behind the plane, the back is shown."""
    world = np.column_stack([open_palm() * (flip, 1.0), np.zeros(21)])
    before, behind = world.copy(), world.copy()
    width = np.hypot(*(world[17] - world[5])[:2])
    before[1:5, 2], behind[1:5, 2] = -0.5 * width, 0.5 * width

    assert thumb_lift(before) == pytest.approx(0.5)
    assert thumb_lift(behind) == pytest.approx(-0.5)
    assert thumb_lift(3 * before) == pytest.approx(0.5)

"""Readings of a hand, and the gates on what the landmark network says."""

from __future__ import annotations

import numpy as np
import pytest

from engine.hand.crop import PicturePyramid, crop_of_landmarks
from engine.hand.detector import DetectedHand
from engine.hand.landmark_reading import palmar_side, read_hands, thumb_lift
from engine.types import Hand
from tests.support.palms.hand_models import SeeingLandmarks, open_palm

PICTURE = PicturePyramid(np.zeros((400, 600, 3), np.uint8))
HAND = DetectedHand(
    centre=np.array([300.0, 200.0]),
    size=np.array([100.0, 100.0]),
    wrist=np.array([300.0, 250.0]),
    knuckle=np.array([300.0, 150.0]),
    score=0.9,
)


def test_a_hand_is_read_again_in_a_better_crop_and_carried_back_to_the_picture():
    """The second crop follows from the first landmarks: it is what makes them precise."""
    network = SeeingLandmarks(open_palm(), presence=(0.9, 0.97))

    readings = read_hands(network, PICTURE, [HAND])

    assert network.readings == 2
    assert readings[0].presence == pytest.approx(0.97)
    assert readings[0].residual < 0.02
    knuckles = readings[0].points[17] - readings[0].points[5]
    assert readings[0].width == pytest.approx(np.hypot(*knuckles), rel=0.02)


def test_a_hand_that_was_well_cut_out_is_read_once():
    """The second reading costs as much as the detector, and would say the same."""
    crop = crop_of_landmarks(open_palm())
    cos, sin = np.cos(crop.angle_rad), np.sin(crop.angle_rad)
    upright = (open_palm() - (crop.x, crop.y)) @ np.array([[cos, -sin], [sin, cos]])
    network = SeeingLandmarks(upright * 224 / crop.side + 112, presence=(0.9, 0.2))

    readings = read_hands(network, PICTURE, [HAND])

    assert network.readings == 1
    assert readings[0].presence == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("presence", "readings"), [((0.4,), 1), ((0.9, 0.79), 2), ((np.nan,), 2)]
)
def test_a_crop_without_a_hand_is_dropped(presence, readings):
    """The detector fires on smooth things; only the landmark network knows hands."""
    network = SeeingLandmarks(open_palm(), presence=presence)

    assert read_hands(network, PICTURE, [HAND]) == []
    assert network.readings == readings


def test_a_shape_that_is_no_open_palm_is_dropped():
    """A fist seen from its side fits the mean palm badly however certain the network is."""
    points = open_palm()
    points[0] = points[9] + (1.0, 10.0)

    assert read_hands(SeeingLandmarks(points), PICTURE, [HAND]) == []


@pytest.mark.parametrize("value", [0.0, np.nan, 1e30])
def test_landmarks_that_make_no_sense_are_dropped(value):
    """A network may answer anything; nothing of it may become a fault of the server."""
    with np.errstate(all="ignore"):
        assert read_hands(SeeingLandmarks(np.full((21, 2), value)), PICTURE, [HAND]) == []


def test_a_box_without_a_size_is_dropped():
    """The detector may answer an empty box."""
    empty = DetectedHand(HAND.centre, np.zeros(2), HAND.wrist, HAND.knuckle, 0.9)

    assert read_hands(SeeingLandmarks(open_palm()), PICTURE, [empty]) == []


@pytest.mark.parametrize("quarter_turns", range(4))
def test_the_side_of_a_palm_follows_from_the_order_of_its_knuckles(quarter_turns):
    """Looks alone are wrong for one palm in a few hundred; the order never is."""
    turn = np.linalg.matrix_power(np.array([[0.0, 1.0], [-1.0, 0.0]]), quarter_turns)
    left = open_palm() @ turn

    assert palmar_side(left) is Hand.LEFT
    assert palmar_side(left * (-1, 1)) is Hand.RIGHT


def test_certainty_of_a_palm_is_that_looks_and_side_agree():
    """The back of a right hand has a left palm's knuckles and a right hand's looks."""
    left_palm = read_hands(SeeingLandmarks(open_palm(), right=0.02), PICTURE, [HAND])[0]
    right_back = read_hands(SeeingLandmarks(open_palm(), right=0.98), PICTURE, [HAND])[0]

    assert left_palm.palm_certainty == pytest.approx(0.98)
    assert right_back.palm_certainty == pytest.approx(0.02)


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


def test_three_points_in_a_line_show_no_plane():
    """Nothing can be before or behind it, and nothing may be divided by zero."""
    assert thumb_lift(np.zeros((21, 3))) == -np.inf

"""Readings of a hand: how often the network is asked, in which square, what is cut out."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.hand.detector import DetectedHand, SearchedPicture
from engine.hand.reading import HandCrop, crop_of_landmarks, read_hands
from engine.types import PalmSample
from tests.support.palms.hand_models import SeeingLandmarks, open_palm

PICTURE = SearchedPicture(PalmSample(np.zeros((400, 600, 3), np.uint8)))
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
    assert np.all(np.abs(readings[0].points - (300, 200)) < 300)


def test_a_box_without_a_size_is_dropped():
    """The detector may answer an empty box."""
    empty = DetectedHand(HAND.centre, np.zeros(2), HAND.wrist, HAND.knuckle, 0.9)

    assert read_hands(SeeingLandmarks(open_palm()), PICTURE, [empty]) == []


angles = st.floats(-math.pi, math.pi)


def turned(points, angle, centre=(300.0, 200.0)):
    """Turn points about their middle and put it somewhere, clockwise as seen."""
    c, s = math.cos(angle), math.sin(angle)
    return (points - points.mean(axis=0)) @ np.array([[c, s], [-s, c]]) + centre


@given(angle=angles, shift=st.floats(-1e-4, 1e-4))
def test_the_seventh_digit_does_not_move_a_crop(angle, shift):
    """A phone and the service must cut the same pixels, or their landmarks part."""
    palm = turned(open_palm(), angle)
    crop = crop_of_landmarks(palm)

    near = crop_of_landmarks(palm + shift)

    moved = abs(near.x - crop.x), abs(near.y - crop.y), abs(near.side - crop.side)
    assert set(moved) <= {0.0, 1.0}
    assert (crop.angle_rad * 256).is_integer()


@pytest.mark.parametrize("side", [0.0, 0.5, math.nan, math.inf])
def test_a_crop_without_a_size_cannot_be_used(side):
    """A network may answer nonsense; a warp with it would raise deep inside OpenCV."""
    assert not HandCrop(1.0, 1.0, side, 0.0).is_usable
    assert HandCrop(1.0, 1.0, 2.0, 0.0).is_usable

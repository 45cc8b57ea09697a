"""Readings of a hand: how often the network is asked, in which square, what is cut out."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.hand.detector import DetectedHand, SearchedPicture
from engine.hand.reading import (
    HandCrop,
    crop_of_detection,
    crop_of_landmarks,
    cut_crop,
    read_hands,
    to_picture,
)
from engine.parameters import DETECTION_CROP_LIFT, DETECTION_CROP_SIDE
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


def test_a_hand_that_was_well_cut_out_is_read_once():
    """The second reading costs as much as the detector, and would say the same."""
    crop = crop_of_landmarks(open_palm())
    cos, sin = np.cos(crop.angle_rad), np.sin(crop.angle_rad)
    upright = (open_palm() - (crop.x, crop.y)) @ np.array([[cos, -sin], [sin, cos]])
    network = SeeingLandmarks(upright * 224 / crop.side + 112, presence=(0.9, 0.2))

    readings = read_hands(network, PICTURE, [HAND])

    assert network.readings == 1
    assert readings[0].presence == pytest.approx(0.9)


def test_a_box_without_a_size_is_dropped():
    """The detector may answer an empty box."""
    empty = DetectedHand(HAND.centre, np.zeros(2), HAND.wrist, HAND.knuckle, 0.9)

    assert read_hands(SeeingLandmarks(open_palm()), PICTURE, [empty]) == []


angles = st.floats(-math.pi, math.pi)


def turned(points, angle, centre=(300.0, 200.0)):
    """Turn points about their middle and put it somewhere, clockwise as seen."""
    c, s = math.cos(angle), math.sin(angle)
    return (points - points.mean(axis=0)) @ np.array([[c, s], [-s, c]]) + centre


@pytest.mark.parametrize("angle", [0.0, 0.7, math.pi / 2, -2.5, math.pi])
def test_the_first_crop_is_turned_from_the_wrist_to_the_knuckle_and_lifted(angle):
    """The detector's box covers the palm only; the fingers are above it, wherever that is."""
    up = np.array([math.sin(angle), -math.cos(angle)])
    centre = np.array([100.0, 100.0])

    crop = crop_of_detection(np.array([40.0, 30.0]), centre, centre - 20 * up, centre + 20 * up)

    assert math.cos(crop.angle_rad - angle) == pytest.approx(1.0, abs=1e-5)
    lifted = centre + 40 * DETECTION_CROP_LIFT * up
    assert crop.side == pytest.approx(40 * DETECTION_CROP_SIDE, abs=0.51)
    assert (crop.x, crop.y) == pytest.approx(tuple(lifted), abs=0.51)


@pytest.mark.parametrize(
    ("change", "agrees"),
    [
        ({}, True),
        ({"x": 209.0, "angle_rad": math.pi + 0.07}, True),
        ({"side": 109.0}, True),
        ({"y": 107.0}, False),
        ({"side": 112.0}, False),
        ({"angle_rad": -math.pi + 0.09}, False),
        ({"x": math.nan}, False),
    ],
)
def test_crops_agree_that_lie_and_turn_nearly_alike(change, agrees):
    """A hand that was well cut out at first needs no second reading."""
    better = HandCrop(x=205.0, y=100.0, side=100.0, angle_rad=-math.pi)

    assert dataclasses.replace(better, **change).agrees_with(better) is agrees


@given(angle=angles, shift=st.floats(-1e-4, 1e-4))
def test_the_seventh_digit_does_not_move_a_crop(angle, shift):
    """A phone and the service must cut the same pixels, or their landmarks part."""
    palm = turned(open_palm(), angle)
    crop = crop_of_landmarks(palm)

    near = crop_of_landmarks(palm + shift)

    moved = abs(near.x - crop.x), abs(near.y - crop.y), abs(near.side - crop.side)
    assert set(moved) <= {0.0, 1.0}
    assert (crop.angle_rad * 256).is_integer()


@given(angle=angles, x=st.floats(40, 160), y=st.floats(40, 160), side=st.floats(60, 1500))
def test_what_is_seen_in_the_crop_is_found_again_in_the_picture(angle, x, y, side):
    """Cutting and carrying back must be inverse, or every landmark is shifted."""
    pixels = np.zeros((200, 200, 3), np.uint8)
    rows, columns = np.mgrid[0:200, 0:200]
    blob = 255 * np.exp(-((columns + 0.5 - 100) ** 2 + (rows + 0.5 - 100) ** 2) / 200.0)
    pixels[:] = blob[..., None].astype(np.uint8)
    crop = HandCrop(x, y, side, angle)

    seen = cut_crop(SearchedPicture(PalmSample(pixels)), crop)[..., 0].astype(np.float64)
    if seen.max() < 200:
        return
    v, u = np.mgrid[0:224, 0:224] + 0.5
    core = np.where(seen > 60, seen, 0.0)
    if core[[0, -1]].any() or core[:, [0, -1]].any():
        return
    found = np.array([[(core * u).sum(), (core * v).sum()]]) / core.sum()

    assert to_picture(found, crop)[0] == pytest.approx((100, 100), abs=0.02 * side / 4 + 0.15)


def test_a_crop_outside_the_picture_is_black():
    """Edges are not repeated: the network was trained with black there."""
    white = np.full((50, 50, 3), 255, np.uint8)

    assert (
        cut_crop(SearchedPicture(PalmSample(white)), HandCrop(500.0, 500.0, 100.0, 0.3)).max()
        == 0
    )


@pytest.mark.parametrize("side", [0.0, 0.5, math.nan, math.inf])
def test_a_crop_without_a_size_cannot_be_used(side):
    """A network may answer nonsense; a warp with it would raise deep inside OpenCV."""
    assert not HandCrop(1.0, 1.0, side, 0.0).is_usable
    assert HandCrop(1.0, 1.0, 2.0, 0.0).is_usable

"""Readings of a hand: how often the landmark network is asked, and in which square."""

import numpy as np
import pytest

from engine.hand.detector import DetectedHand, SearchedPicture
from engine.hand.reading import crop_of_landmarks, read_hands
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

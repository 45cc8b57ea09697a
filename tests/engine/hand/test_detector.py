"""The detector's anchors, boxes and suppression, with a network that a test sets."""

import numpy as np
import pytest

from engine.hand.detector import (
    anchor_centres,
    decode_boxes,
    detect_hands,
    letterboxed,
    merge_overlapping,
    network_input,
)
from tests.support.palms.hand_models import SeeingDetector


def box(x, y, width, height):
    """Return a row with this box and its key points in the box's middle."""
    return np.array([x, y, width, height, *([x, y] * 7)], np.float64)


def test_anchors_lie_row_by_row_two_and_six_to_a_cell():
    """The order is the network's; one wrong place moves every box."""
    anchors = anchor_centres() * 192

    assert anchors.shape == (2016, 2)
    assert anchors[:3].tolist() == [[4, 4], [4, 4], [12, 4]]
    assert anchors[48].tolist() == [4, 12]
    assert anchors[1152].tolist() == anchors[1157].tolist() == [8, 8]
    assert anchors[-1].tolist() == [184, 184]


def test_boxes_are_relative_to_their_anchor_and_only_certain_ones_stay():
    """Sizes are absolute, centres and key points are not."""
    boxes, logits = np.zeros((2016, 18), np.float32), np.full(2016, -200.0, np.float32)
    boxes[2] = np.arange(18)
    logits[2], logits[3] = 0.0, -0.001

    rows, scores = decode_boxes(boxes, logits)

    assert scores.tolist() == [0.5]
    assert rows[0, :6].tolist() == [12 + 0, 4 + 1, 2, 3, 12 + 4, 4 + 5]


def test_overlapping_boxes_are_averaged_by_score_and_others_stay():
    """Weighted suppression steadies the key points; plain suppression throws them away."""
    rows = np.array([box(100, 100, 40, 40), box(110, 100, 40, 40), box(20, 20, 30, 30)])

    merged, scores = merge_overlapping(rows, np.array([0.6, 0.9, 0.7]))

    assert scores.tolist() == [0.9, 0.7]
    assert merged[0, 0] == pytest.approx((0.6 * 100 + 0.9 * 110) / 1.5)
    assert merged[1] == pytest.approx(rows[2])


def test_boxes_that_hardly_overlap_are_two_hands():
    """Two hands side by side must not become one between them."""
    rows = np.array([box(100, 100, 40, 40), box(125, 100, 40, 40)])

    assert len(merge_overlapping(rows, np.array([0.9, 0.8]))[0]) == 2


def test_no_boxes_and_boxes_without_a_size_are_no_fault():
    """Most pictures of nothing give none; a network may answer an empty one."""
    assert len(merge_overlapping(np.empty((0, 18)), np.empty(0))[0]) == 0
    assert len(merge_overlapping(np.zeros((2, 18)), np.array([0.9, 0.8]))[0]) == 2


@pytest.mark.parametrize("shape", [(480, 640), (640, 480), (50, 50), (3, 2000)])
@pytest.mark.parametrize("border", [0.0, 0.35, 1.0])
@pytest.mark.parametrize("reduced", [1.0, 0.5])
def test_the_letterbox_is_undone_whatever_the_picture(shape, border, reduced):
    """A box comes back to where it was seen, in pixels of the picture that was reduced."""
    height, width = shape
    pixels = np.full((height, width, 3), 200, np.uint8)
    look = letterboxed(pixels, border, np.full(2, reduced))
    corner = look.offset + np.array([width, height]) / reduced * look.scale
    row = np.concatenate([look.offset, [10, 20], *([corner] * 7)])

    hand = detect_hands(SeeingDetector(row), look)[0]

    assert look.planes.shape == (1, 3, 192, 192)
    assert hand.centre == pytest.approx((0, 0), abs=1e-9)
    assert hand.wrist == pytest.approx((width / reduced, height / reduced))
    assert hand.size == pytest.approx(np.array([10, 20]) / look.scale)
    assert hand.score == pytest.approx(1.0, abs=1e-4)


def test_a_border_makes_the_picture_smaller_and_is_black():
    """Hands that touch the edge are found only when something is beyond it."""
    planes = letterboxed(np.full((100, 100, 3), 255, np.uint8), 0.5, np.ones(2)).planes[0]

    assert planes[:, 96, 96].min() == 1
    assert planes[:, :40].max() == 0
    assert (planes.max(axis=0) > 0).sum() == 96 * 96


def test_the_network_gets_planes_from_zero_to_one():
    """Channels last, or levels to 255, would still run and find nothing."""
    square = np.zeros((192, 192, 3), np.uint8)
    square[..., 0] = 255

    planes = network_input(square)

    assert planes.shape == (1, 3, 192, 192)
    assert planes.dtype == np.float32
    assert planes.flags.c_contiguous
    assert (planes[0, 0].min(), planes[0, 1:].max()) == (1.0, 0.0)

"""The detector's anchors, boxes and suppression, with a network that a test sets."""

import numpy as np
import pytest

from engine.hand.detector import merge_overlapping


def box(x, y, width, height):
    """Return a row with this box and its key points in the box's middle."""
    return np.array([x, y, width, height, *([x, y] * 7)], np.float64)


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

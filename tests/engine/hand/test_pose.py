"""Measures from landmarks: a palm's side, its certainty and width, the thumb before it."""

import numpy as np
import pytest

from engine.hand.landmarks import palmar_side, thumb_lift
from engine.types import Hand
from tests.support.palms.hand_models import open_palm


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


def test_three_points_in_a_line_show_no_plane():
    """Nothing can be before or behind it, and nothing may be divided by zero."""
    assert thumb_lift(np.zeros((21, 3))) == -np.inf

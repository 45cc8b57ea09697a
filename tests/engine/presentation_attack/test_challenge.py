"""challenge: what is drawn fits a frame, differs each time and has enough chance in it."""

import math
import random
from collections import Counter
from typing import Any

import pytest

from engine.presentation_attack.challenge import SHOWN, Challenge, Motion, draw_challenge

MANY = 300


def drawn(seed: int, **options: Any) -> Challenge:
    """A repeatable challenge."""
    return draw_challenge(random.Random(seed), **options)  # noqa: S311 -- repeatable


def test_a_challenge_survives_json():
    """It waits in a database between steps; one of 0.2.0 has colours, too."""
    challenge = drawn(1)
    text = challenge.to_json()

    assert Challenge.from_json(text) == challenge
    assert Challenge.from_json(text.replace("}]", ',"colours":[[255,170,170]]}]')) == challenge


@pytest.mark.parametrize(("able", "bits"), [({*Motion}, 7.34), (SHOWN, 4.17)])
def test_a_moved_film_must_guess_motions_and_tilt(able, bits):
    """It is moved into every place and fits every time: order and tilted step are left."""
    asked = {
        tuple((step.motion, step.tilt_deg is None) for step in one.steps)
        for one in (drawn(n, motions=able) for n in range(3000))
    }

    assert math.log2(len(asked)) == pytest.approx(bits, abs=0.01)


def test_one_motion_is_no_challenge():
    """Its recording would fit every time."""
    with pytest.raises(ValueError, match="two motions"):
        drawn(1, motions=[Motion.LOOSE_FIST])


@pytest.mark.parametrize(
    "able", [tuple(Motion), (Motion.FOLD_THUMB, Motion.LOOSE_FIST, Motion.CLOSE_FINGERS)]
)
def test_the_palm_stays_in_sight_in_one_motion(able):
    """Half of a palm says little of whose it is: honest hands would be refused."""
    assert all(
        SHOWN & {step.motion for step in drawn(n, motions=able).steps} for n in range(MANY)
    )


def test_the_whole_hand_fits_upright_and_lying_frames():
    """From the fingertips to the wrist, thumb included."""
    for step in (step for n in range(MANY) for step in drawn(n).steps):
        place = step.outline

        assert place.y - 2.2 * place.size > 0
        assert place.y + 0.8 * place.size < 1
        assert place.x - 1.2 * place.size > 0
        assert place.x + 1.2 * place.size < 1


def test_one_step_is_tilted_and_which_is_chance():
    """A flat copy cannot be tilted before it is asked."""
    tilted = Counter(
        number
        for n in range(MANY)
        for number, step in enumerate(drawn(n).steps)
        if step.tilt_deg is not None
    )

    assert sum(tilted.values()) == MANY
    assert set(tilted) == {0, 1, 2}

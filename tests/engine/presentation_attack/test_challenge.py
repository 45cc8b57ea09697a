"""challenge: what is drawn fits a frame, differs each time and has enough chance in it."""

from __future__ import annotations

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


@pytest.mark.parametrize("light", [False, True])
def test_a_challenge_survives_json(light):
    """It waits in a database between steps."""
    challenge = drawn(1, light=light)

    assert Challenge.from_json(challenge.to_json()) == challenge


@pytest.mark.parametrize(("able", "bits"), [({*Motion}, 7.34), (SHOWN, 4.17)])
def test_a_moved_film_must_guess_motions_and_tilt(able, bits):
    """It is moved into every place and fits every time: order and tilted step are left."""
    asked = {
        tuple((step.motion, step.tilt_deg is None) for step in one.steps)
        for one in (drawn(n, motions=able, light=True) for n in range(3000))
    }

    assert math.log2(len(asked)) == pytest.approx(bits, abs=0.01)


def test_one_motion_is_no_challenge():
    """Its recording would fit every time."""
    with pytest.raises(ValueError, match="two motions"):
        drawn(1, motions=[Motion.LOOSE_FIST])


def test_only_motions_that_the_person_can_do_are_asked_and_never_one_alone():
    """Two motions of two people who can do just these."""
    able = [Motion.SPREAD_FINGERS, Motion.LOOSE_FIST]

    asked = [{step.motion for step in drawn(n, motions=able).steps} for n in range(MANY)]

    assert all(each == set(able) for each in asked)


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


@pytest.mark.parametrize(("light", "tilts"), [(True, 1), (False, 2)])
def test_who_has_no_light_tilts_once_more(light, tilts):
    """Which step is chance, too."""
    tilted = Counter(
        number
        for n in range(MANY)
        for number, step in enumerate(drawn(n, light=light).steps)
        if step.tilt_deg is not None
    )

    assert sum(tilted.values()) == tilts * MANY
    assert set(tilted) == {0, 1, 2}


def test_colours_change_at_each_slot_and_stay_out_where_light_is_off():
    """A colour shown twice would hide a change."""
    for n in range(MANY):
        for step in drawn(n, light=True).steps:
            assert all(
                one != other for one, other in zip(step.colours, step.colours[1:], strict=False)
            )
        assert not any(step.colours for step in drawn(n).steps)

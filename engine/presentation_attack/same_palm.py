"""Checks that all frames show one palm: each open hand is the one of the template."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean
from typing import Final

import numpy as np

from engine import parameters as tuned
from engine.comparison.compare import compare
from engine.presentation_attack.challenge import Challenge, Motion, Step
from engine.presentation_attack.motion_checks import made
from engine.presentation_attack.motions import change
from engine.presentation_attack.session import Observation, Phase, Reason, open_templates

Seen = Sequence[Observation]


def find_other_palm(challenge: Challenge, steps: Sequence[Seen]) -> Reason | None:
    """Return why the frames are not of one palm, or None."""
    if not all(map(_open, steps)):
        return Reason.UNUSABLE
    pairs = list(zip(challenge.steps, steps, strict=True))
    if not all(_is_continuous(asked.motion, step) for asked, step in pairs):
        return Reason.SWAPPED
    shown = open_templates(steps)[0]
    likes = [[compare(shown[0], one.templates[0]) for one in _open(step)] for step in steps]
    if min(map(max, likes)) < tuned.SAME_SCORE:
        return Reason.TWO_PEOPLE
    if min(map(min, likes)) < tuned.SAME_SCORE:
        return Reason.SWAPPED
    moving = [likeness for pair in pairs if (likeness := _moving_likeness(*pair))]
    if len(moving) < tuned.SAME_MOVING_STEPS:
        return Reason.UNUSABLE
    return Reason.SWAPPED if fmean(moving) < tuned.SAME_MOVING_SCORE else None


def _moving_likeness(asked: Step, step: Seen) -> float:
    """Return how like the moving palm is to the open one; 0 if it gave no template.

    Only frames count that show most of the motion: a copy before it says nothing of the hand.
    A fist shows the palm on its way, a folded thumb hides half of it: only the mean over the
    steps says something.
    """
    shown = made(asked, step)
    least = max(1.0, tuned.MOTION_LEFT * max(shown))
    moved = zip(shown, (one for one in step if one.phase is Phase.MOVED), strict=True)
    return max(
        (
            fmean(_score(seen, one) for one in _open(step))
            for progress, seen in moved
            if progress >= least and seen.templates
        ),
        default=0.0,
    )


def _score(one: Observation, other: Observation) -> float:
    return compare(one.templates[0], other.templates[0])


def _open(step: Seen) -> list[Observation]:
    return [seen for seen in step if seen.phase in (Phase.OPEN, Phase.BACK) and seen.templates]


def _is_continuous(motion: Motion, step: Seen) -> bool:
    """Return whether palm and size stay where they are while the fingers move."""
    pairs = [pair for pair in pairwise(step) if pair[1].phase is not Phase.TILTED]
    return all(_is_near(*pair) and (motion is _FIST or _is_as_large(*pair)) for pair in pairs)


def _is_near(one: Observation, other: Observation) -> bool:
    near = change(one.points, other.points).middle <= tuned.SAME_MIDDLE
    return near and chroma_step(one, other) <= tuned.SAME_CHROMA


def _is_as_large(one: Observation, other: Observation) -> bool:
    growth = change(one.points, other.points).growth
    return bool(abs(np.log(growth)) <= np.log(tuned.SAME_GROWTH))


def chroma_step(one: Observation, other: Observation) -> float:
    """Return how far the palm's colour changed, largest of log red/green and blue/green."""
    a, b = (np.log(np.maximum(seen.colour, 1e-4)) for seen in (one, other))
    changed = (a - a[1]) - (b - b[1])
    return float(np.nan_to_num(np.abs(changed).max()))


_FIST: Final = Motion.LOOSE_FIST
"""Its knuckles are seen too close together now and then: its size says nothing."""

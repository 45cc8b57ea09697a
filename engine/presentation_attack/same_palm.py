"""Whether one palm is in all frames: nothing is swapped during a motion or between steps."""

from __future__ import annotations

from itertools import pairwise, starmap
from statistics import fmean
from typing import TYPE_CHECKING, Final

import numpy as np

from engine.comparison.compare import compare
from engine.parameters import (
    SAME_CHROMA,
    SAME_GROWTH,
    SAME_MIDDLE,
    SAME_MOVING_SCORE,
    SAME_MOVING_STEPS,
    SAME_SCORE,
)
from engine.presentation_attack.challenge import Motion
from engine.presentation_attack.motions import change
from engine.presentation_attack.session import Phase, Reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.presentation_attack.challenge import Challenge
    from engine.presentation_attack.session import Observation

    Seen = Sequence[Observation]


def find_other_palm(challenge: Challenge, steps: Sequence[Seen]) -> Reason | None:
    """Return why the frames are not of one palm, or None."""
    if not all(_open(step, *_OPEN) for step in steps):
        return Reason.UNUSABLE
    pairs = zip(challenge.steps, steps, strict=True)
    if not all(_is_continuous(asked.motion, step) for asked, step in pairs):
        return Reason.SWAPPED
    if any(_best(_open(s, Phase.OPEN), _open(s, Phase.BACK)) < SAME_SCORE for s in steps):
        return Reason.SWAPPED
    if min(starmap(_best, pairwise(_open(step, *_OPEN) for step in steps))) < SAME_SCORE:
        return Reason.TWO_PEOPLE
    moving = [likeness for step in steps if (likeness := _moving_likeness(step))]
    if len(moving) < SAME_MOVING_STEPS:
        return Reason.UNUSABLE
    return Reason.SWAPPED if fmean(moving) < SAME_MOVING_SCORE else None


def _moving_likeness(step: Seen) -> float:
    """Return how like the moving palm is to the open one; 0 if it gave no template.

    Somebody's own hand between two copies of a palm is another palm. A fist shows it on its
    way, a folded thumb hides half of it: only the mean over the steps says something.
    """
    opened = _open(step, *_OPEN)
    return max(
        (fmean(_score(seen, one) for one in opened) for seen in _open(step, Phase.MOVED)),
        default=0.0,
    )


def _best(some: Seen, others: Seen) -> float:
    """Return the best score of a palm of each; 1 if either gave no template."""
    return max((_score(one, other) for one in some for other in others), default=1.0)


def _score(one: Observation, other: Observation) -> float:
    return compare(one.templates[0], other.templates[0])


def _open(step: Seen, *phases: Phase) -> list[Observation]:
    return [seen for seen in step if seen.phase in phases and seen.templates]


def _is_continuous(motion: Motion, step: Seen) -> bool:
    """Return whether palm and size stay where they are while the fingers move."""
    pairs = [pair for pair in pairwise(step) if pair[1].phase is not Phase.TILTED]
    return all(_is_near(*pair) and (motion is _FIST or _is_as_large(*pair)) for pair in pairs)


def _is_near(one: Observation, other: Observation) -> bool:
    near = change(one.points, other.points).middle <= SAME_MIDDLE
    return near and (one.shown != other.shown or chroma_step(one, other) <= SAME_CHROMA)


def _is_as_large(one: Observation, other: Observation) -> bool:
    growth = change(one.points, other.points).growth
    return bool(abs(np.log(growth)) <= np.log(SAME_GROWTH))


def chroma_step(one: Observation, other: Observation) -> float:
    """Return how far the palm's colour changed, largest of log red/green and blue/green."""
    a, b = (np.log(np.maximum(seen.colours[0], 1e-4)) for seen in (one, other))
    changed = (a - a[1]) - (b - b[1])
    return float(np.nan_to_num(np.abs(changed).max()))


_OPEN: Final = (Phase.OPEN, Phase.BACK)
_FIST: Final = Motion.LOOSE_FIST
"""Its knuckles are seen too close together now and then: its size says nothing."""

"""Whether one palm is in all frames: nothing is swapped during a motion or between steps."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from engine.comparison.compare import compare
from engine.parameters import SAME_CHROMA, SAME_GROWTH, SAME_MIDDLE, SAME_SCORE
from engine.presentation_attack.motions import change
from engine.presentation_attack.session import Phase, Reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.presentation_attack.session import Observation

    Seen = Sequence[Observation]


def find_other_palm(steps: Sequence[Seen]) -> Reason | None:
    """Return why the frames are not of one palm, or None."""
    if any(not _open(step, Phase.OPEN) or not _open(step, Phase.BACK) for step in steps):
        return Reason.UNUSABLE
    if not all(_is_continuous(step) for step in steps):
        return Reason.SWAPPED
    within = [_likeness(_open(step, Phase.OPEN), _open(step, Phase.BACK)) for step in steps]
    if min(within) < SAME_SCORE:
        return Reason.SWAPPED
    if likeness_of_steps(steps) < SAME_SCORE:
        return Reason.TWO_PEOPLE
    return None


def likeness_of_steps(steps: Sequence[Seen]) -> float:
    """Return the lowest score of the open hands of a step and of the next one."""
    return min(
        _likeness([*_open(one, Phase.OPEN), *_open(one, Phase.BACK)],
                  [*_open(other, Phase.OPEN), *_open(other, Phase.BACK)])
        for one, other in pairwise(steps)
    )  # fmt: skip


def _likeness(some: Seen, others: Seen) -> float:
    """Return the best score of a palm of each."""
    return max(compare(a.templates[0], b.templates[0]) for a in some for b in others)


def _open(step: Seen, phase: Phase) -> list[Observation]:
    return [seen for seen in step if seen.phase is phase and seen.templates]


def _is_continuous(step: Seen) -> bool:
    """Return whether palm and size stay where they are while the fingers move."""
    return all(
        _is_near(one, other) for one, other in pairwise(step) if other.phase is not Phase.TILTED
    )


def _is_near(one: Observation, other: Observation) -> bool:
    made = change(one.points, other.points)
    near = made.middle <= SAME_MIDDLE and abs(np.log(made.growth)) <= np.log(SAME_GROWTH)
    if one.shown != other.shown:
        return near
    return near and chroma_step(one, other) <= SAME_CHROMA


def chroma_step(one: Observation, other: Observation) -> float:
    """Return how far the palm's colour changed, largest of log red/green and blue/green."""
    a, b = (np.log(np.maximum(seen.colours[0], 1e-4)) for seen in (one, other))
    changed = (a - a[1]) - (b - b[1])
    return float(np.nan_to_num(np.abs(changed).max()))

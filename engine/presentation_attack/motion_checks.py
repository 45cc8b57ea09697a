"""Whether the hand did what was asked, where and when it was asked: the gate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.parameters import (
    CHALLENGE_HOLD_TOLERANCE_S,
    CHALLENGE_PLACE_TOLERANCE,
    CHALLENGE_SIZE_TOLERANCE,
    MOTION_CURL,
    MOTION_FAN_DEG,
    MOTION_FIST_REACH,
    MOTION_GAP,
    MOTION_HELD,
    MOTION_LEFT,
    MOTION_RIGID_RESIDUAL,
    MOTION_THUMB,
    SESSION_LATEST_S,
)
from engine.presentation_attack.challenge import Motion
from engine.presentation_attack.motions import change, palm_centre
from engine.presentation_attack.session import Phase, Reason
from engine.presentation_attack.surroundings import palm_width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.presentation_attack.challenge import Challenge, Outline, Step
    from engine.presentation_attack.motions import Change
    from engine.presentation_attack.session import Observation

    Seen = Sequence[Observation]


def progress(motion: Motion, made: Change) -> float:
    """Return how far a motion is: 0 not at all, 1 at the threshold, about 2 done.

    A fist folds the thumb and closes the fingers, too: it is no other motion.
    """
    if made.curl > MOTION_CURL and motion is not Motion.LOOSE_FIST:
        return 0.0
    match motion:
        case Motion.FOLD_THUMB:
            return made.thumb / MOTION_THUMB
        case Motion.SPREAD_FINGERS:
            return min(made.fan_deg / MOTION_FAN_DEG, made.gap / MOTION_GAP)
        case Motion.CLOSE_FINGERS:
            return min(-made.fan_deg / MOTION_FAN_DEG, -made.gap / MOTION_GAP)
        case Motion.LOOSE_FIST:
            start, fist = MOTION_FIST_REACH
            return (start - made.reach) / (start - fist)


def margins(challenge: Challenge, steps: Sequence[Seen]) -> list[float]:
    """Return the progress of each step's motion: the most, if most of it is left at its end."""
    return [_margin(*pair) for pair in zip(challenge.steps, steps, strict=True)]


def _margin(asked: Step, seen: Seen) -> float:
    done = made(asked, seen)
    return min(max(done), done[-1] / MOTION_HELD)


def made(asked: Step, seen: Seen) -> list[float]:
    """Return the progress of the motion in each of its frames."""
    moved = (change(seen[0].points, one.points) for one in _moved(seen))
    return [progress(asked.motion, each) for each in moved]


def find_broken_challenge(challenge: Challenge, steps: Sequence[Seen]) -> Reason | None:
    """Return why the challenge was not followed, or None."""
    pairs = list(zip(challenge.steps, steps, strict=True))
    if not all(_is_in_place(asked.outline, seen[0]) for asked, seen in pairs):
        return Reason.NOT_IN_PLACE
    if not all(_is_in_time(asked, seen) for asked, seen in pairs):
        return Reason.TOO_LATE
    if min(margins(challenge, steps)) < 1 or not all(map(_is_open_again, pairs)):
        return Reason.RIGID if all(map(_is_rigid, steps)) else Reason.NOT_FOLLOWED
    return None


def _moved(seen: Seen) -> Seen:
    return [one for one in seen if one.phase is Phase.MOVED]


def _back(seen: Seen) -> Observation:
    return next(one for one in seen if one.phase is Phase.BACK)


def _is_in_place(outline: Outline, seen: Observation) -> bool:
    x, y = palm_centre(seen.points) / seen.size
    size = palm_width(seen.points) / min(seen.size)
    return bool(
        abs(x - outline.x) <= CHALLENGE_PLACE_TOLERANCE
        and abs(y - outline.y) <= CHALLENGE_PLACE_TOLERANCE
        and abs(np.log(max(size, 1e-6) / outline.size)) <= np.log1p(CHALLENGE_SIZE_TOLERANCE)
    )


def _is_in_time(asked: Step, seen: Seen) -> bool:
    """Return whether the motion was held, and the answer did not take too long."""
    held_s = _back(seen).at_s - _moved(seen)[0].at_s
    first, last = SESSION_LATEST_S
    return (
        held_s >= asked.hold_s - CHALLENGE_HOLD_TOLERANCE_S
        and seen[0].at_s <= first
        and seen[-1].at_s <= last
    )


def _is_open_again(pair: tuple[Step, Seen]) -> bool:
    """Return whether most of the motion is undone: no hand opens twice alike."""
    asked, seen = pair
    reached = made(asked, seen)[-1]
    left = progress(asked.motion, change(seen[0].points, _back(seen).points))
    return left < max(1.0, MOTION_LEFT * reached)


def _is_rigid(seen: Seen) -> bool:
    """Return whether a flat copy explains every frame of a step."""
    residuals = [change(seen[0].points, one.points).residual for one in seen[1:]]
    return max(residuals) < MOTION_RIGID_RESIDUAL

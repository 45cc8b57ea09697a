"""The gate: checks that the hand made each motion at the place and time of the challenge."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine import parameters as tuned
from engine.presentation_attack.challenge import Challenge, Motion, Outline, Step
from engine.presentation_attack.motions import Change, change, palm_centre
from engine.presentation_attack.session import Observation, Phase, Reason
from engine.presentation_attack.surroundings import palm_width

Seen = Sequence[Observation]


def progress(motion: Motion, made: Change) -> float:
    """Return how far a motion is: 0 not at all, 1 at the threshold, about 2 done.

    A fist folds the thumb and closes the fingers, too: it is no other motion.
    """
    if made.curl > tuned.MOTION_CURL and motion is not Motion.LOOSE_FIST:
        return 0.0
    match motion:
        case Motion.FOLD_THUMB:
            return made.thumb / tuned.MOTION_THUMB
        case Motion.SPREAD_FINGERS:
            return min(made.fan_deg / tuned.MOTION_FAN_DEG, made.gap / tuned.MOTION_GAP)
        case Motion.CLOSE_FINGERS:
            return min(-made.fan_deg / tuned.MOTION_FAN_DEG, -made.gap / tuned.MOTION_GAP)
        case Motion.LOOSE_FIST:
            start, fist = tuned.MOTION_FIST_REACH
            return (start - made.reach) / (start - fist)


def margins(challenge: Challenge, steps: Sequence[Seen]) -> list[float]:
    """Return the progress of each step's motion: the most, if most of it is left at its end."""
    return [_margin(*pair) for pair in zip(challenge.steps, steps, strict=True)]


def _margin(asked: Step, seen: Seen) -> float:
    done = made(asked, seen)
    return min(max(done), done[-1] / tuned.MOTION_HELD)


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


def opened_again(seen: Seen) -> Observation:
    """Return the frame of the hand that has opened after the motion."""
    return next(one for one in seen if one.phase is Phase.BACK)


def _is_in_place(outline: Outline, seen: Observation) -> bool:
    off = np.abs(palm_centre(seen.points) / seen.size - (outline.x, outline.y))
    size = palm_width(seen.points) / min(seen.size)
    off_size = abs(np.log(max(size, 1e-6) / outline.size))
    is_near = (off <= tuned.CHALLENGE_PLACE_TOLERANCE).all()
    return bool(is_near and off_size <= np.log1p(tuned.CHALLENGE_SIZE_TOLERANCE))


def _is_in_time(asked: Step, seen: Seen) -> bool:
    """Return whether the motion was held, and the answer did not take too long."""
    held_s = opened_again(seen).at_s - _moved(seen)[0].at_s
    first, last = tuned.SESSION_LATEST_S
    return (
        held_s >= asked.hold_s - tuned.CHALLENGE_HOLD_TOLERANCE_S
        and seen[0].at_s <= first
        and seen[-1].at_s <= last
    )


def _is_open_again(pair: tuple[Step, Seen]) -> bool:
    """Return whether most of the motion is undone: no hand opens twice alike."""
    asked, seen = pair
    reached = made(asked, seen)[-1]
    left = progress(asked.motion, change(seen[0].points, opened_again(seen).points))
    return left < max(1.0, tuned.MOTION_LEFT * reached)


def _is_rigid(seen: Seen) -> bool:
    """Return whether a flat copy explains every frame of a step."""
    residuals = [change(seen[0].points, one.points).residual for one in seen[1:]]
    return max(residuals) < tuned.MOTION_RIGID_RESIDUAL

"""The four checks of a session, in their order.

Bad input: refuses frames that cannot be of one session, with a reason for each kind.
The gate: the hand made each motion at the place and time of the challenge.
One palm: each open hand is the one of the template.
Support: flatness at a tilt, a background that moves along, traces.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain, combinations, pairwise
from statistics import fmean
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.comparison.compare import compare
from engine.features.code_bytes import first_codes
from engine.presentation_attack import parameters as tuned
from engine.presentation_attack.challenge import Challenge, Motion, Outline, Step
from engine.presentation_attack.motions import (
    Change,
    change,
    homography_residual,
    palm_centre,
    palm_width,
)
from engine.presentation_attack.parameters import (
    LOOK_CELLS,
    LOOK_MIN_CELLS,
    LOOK_MIN_CONTRAST,
    LOOK_ROWS,
)
from engine.presentation_attack.session import Observation, Phase, Reason, open_templates
from engine.types import PalmTemplate

Seen = Sequence[Observation]
Steps = Sequence[Seen]

_PLACES: Final = {Phase.OPEN: 0, Phase.MOVED: 1, Phase.BACK: 2, Phase.TILTED: 3}
_NEEDED: Final = frozenset({Phase.OPEN, Phase.MOVED, Phase.BACK})


def find_bad_input(
    challenge: Challenge, steps: Steps, answered_s: Sequence[float] | None
) -> Reason | None:
    """Return why the frames cannot be judged, or None."""
    wrong = next((reason for check, reason in _CHECKS if check(challenge, steps)), None)
    if wrong is None and answered_s is not None and _outlast(steps, answered_s):
        return Reason.TIMES
    return wrong


def _lacks_frames(challenge: Challenge, steps: Steps) -> bool:
    """Return whether a step, or one of its phases, has no frame."""
    asked = [_NEEDED if step.tilt_deg is None else {*_PLACES} for step in challenge.steps]
    shown = [{seen.phase for seen in step} for step in steps]
    return len(steps) < len(asked) or not all(
        wanted <= phases and len(step) >= tuned.CHALLENGE_FRAMES[0]
        for wanted, phases, step in zip(asked, shown, steps, strict=False)
    )


def _has_many_frames(challenge: Challenge, steps: Steps) -> bool:
    return (
        len(steps) > len(challenge.steps)
        or sum(map(len, steps)) > tuned.CHALLENGE_ALL_FRAMES
        or any(len(step) > tuned.CHALLENGE_FRAMES[1] for step in steps)
    )


def _is_out_of_order(challenge: Challenge, steps: Steps) -> bool:
    """Return whether phases run backwards, or one but the motion has several frames."""
    for step in steps:
        places = [_PLACES[seen.phase] for seen in step]
        if places != sorted(places) or any(places.count(place) > 1 for place in (0, 2, 3)):
            return True
    return False


def _has_odd_times(challenge: Challenge, steps: Steps) -> bool:
    """Return whether times are not numbers, run backwards or nearly stand still."""
    for step in steps:
        times = [seen.at_s for seen in step]
        if not all(math.isfinite(time) and time >= 0 for time in times):
            return True
        pairs = itertools.pairwise(times)
        if any(later - earlier < tuned.SESSION_MIN_INTERVAL_S for earlier, later in pairs):
            return True
    return False


def _repeats(challenge: Challenge, steps: Steps) -> bool:
    digests = [seen.digest for step in steps for seen in step]
    return len(set(digests)) < len(digests)


def _has_two_hands(challenge: Challenge, steps: Steps) -> bool:
    """Return whether two palms are in one frame, or a left and a right one follow."""
    seen = [one for step in steps for one in step if one.hand]
    return any(one.hands > 1 for one in seen) or len({one.hand for one in seen}) > 1


def _outlast(steps: Steps, answered_s: Sequence[float]) -> bool:
    """Return whether frames claim times that the service did not wait."""
    return any(
        step[-1].at_s > waited + tuned.SESSION_CLOCK_TOLERANCE_S
        for step, waited in zip(steps, answered_s, strict=True)
    )


_CHECKS: Final[tuple[tuple[Callable[[Challenge, Steps], bool], Reason], ...]] = (
    (lambda _, steps: not any(steps), Reason.NO_FRAMES),
    (_has_many_frames, Reason.TOO_MANY),
    (_lacks_frames, Reason.TOO_FEW),
    (_is_out_of_order, Reason.ORDER),
    (_has_odd_times, Reason.TIMES),
    (_repeats, Reason.REPEATED),
    (lambda _, steps: len({seen.size for seen in chain(*steps)}) > 1, Reason.TWO_CAMERAS),
    (lambda _, steps: any(seen.hand is None for seen in chain(*steps)), Reason.NO_HAND),
    (_has_two_hands, Reason.TWO_HANDS),
)


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


def find_other_palm(challenge: Challenge, steps: Sequence[Seen]) -> Reason | None:
    """Return why the frames are not of one palm, or None."""
    if not all(map(_open, steps)):
        return Reason.UNUSABLE
    pairs = list(zip(challenge.steps, steps, strict=True))
    if not all(_is_continuous(asked.motion, step) for asked, step in pairs):
        return Reason.SWAPPED
    shown = open_templates(steps)[0]
    likes = [[_alike(shown[0], one.templates[0]) for one in _open(step)] for step in steps]
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
            fmean(_alike(seen.templates[0], one.templates[0]) for one in _open(step))
            for progress, seen in moved
            if progress >= least and seen.templates
        ),
        default=0.0,
    )


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


Values = NDArray[np.float64]


def tilt_residual(steps: Sequence[Seen]) -> float:
    """Return the misfit of the best homography from the open hands of a step to its tilted one.

    The largest, palm widths; NaN without a tilt.
    """
    found = [
        homography_residual(opened.points.astype(float), tilted.points.astype(float))
        for step in steps
        for tilted in step
        if tilted.phase is Phase.TILTED
        for opened in (step[0], opened_again(step))
    ]
    return max(found, default=np.nan)


def shared_background(steps: Sequence[Seen]) -> float:
    """Return how alike the surroundings stay in the palm's own frame, -1 to 1.

    The median correlation over pairs of steps, above the wrist, since arms move with hands;
    NaN where they are too plain to tell.
    """
    looks = [step[0].look.astype(float)[: LOOK_ROWS * LOOK_CELLS] for step in steps]
    likes = [_correlation(one, other) for one, other in combinations(looks, 2)]
    known = [like for like in likes if np.isfinite(like)]
    return float(np.median(known)) if known else np.nan


def trace_peaks(steps: Sequence[Seen]) -> Values:
    """Return the medians of the traces of open hands; NaN if all are too small."""
    traces = [seen.traces for step in steps for seen in step if seen.phase is not Phase.MOVED]
    known = np.stack(traces).astype(float)
    known = known[np.isfinite(known).all(axis=1)]
    if not len(known):
        return np.full(traces[0].shape, np.nan)
    return np.asarray(np.median(known, axis=0))


def _correlation(one: Values, other: Values) -> float:
    both = np.isfinite(one) & np.isfinite(other)
    if both.sum() < LOOK_MIN_CELLS:
        return np.nan
    a, b = one[both], other[both]
    if min(a.std(), b.std()) < LOOK_MIN_CONTRAST:
        return np.nan
    return float(np.corrcoef(a, b)[0, 1])


def _alike(one: PalmTemplate, other: PalmTemplate) -> float:
    """Return the score of the first codes alone, to which the limits were fitted."""
    return compare(*(replace(each, code=first_codes(each.code)) for each in (one, other)))

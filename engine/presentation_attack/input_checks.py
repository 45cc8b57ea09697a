"""Refuses frames that cannot be of one session, with a reason for each kind of bad input."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Final

from engine import parameters as tuned
from engine.presentation_attack.challenge import Challenge
from engine.presentation_attack.session import Observation, Phase, Reason

Step = Sequence[Observation]
Steps = Sequence[Step]

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


def _has_no_frames(challenge: Challenge, steps: Steps) -> bool:
    return not any(steps)


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


def _has_two_cameras(challenge: Challenge, steps: Steps) -> bool:
    return len({seen.size for step in steps for seen in step}) > 1


def _has_two_hands(challenge: Challenge, steps: Steps) -> bool:
    """Return whether two palms are in one frame, or a left and a right one follow."""
    seen = [one for step in steps for one in step if one.hand]
    return any(one.hands > 1 for one in seen) or len({one.hand for one in seen}) > 1


def _loses_the_hand(challenge: Challenge, steps: Steps) -> bool:
    return any(seen.hand is None for step in steps for seen in step)


def _outlast(steps: Steps, answered_s: Sequence[float]) -> bool:
    """Return whether frames claim times that the service did not wait."""
    return any(
        step[-1].at_s > waited + tuned.SESSION_CLOCK_TOLERANCE_S
        for step, waited in zip(steps, answered_s, strict=True)
    )


_CHECKS: Final[tuple[tuple[Callable[[Challenge, Steps], bool], Reason], ...]] = (
    (_has_no_frames, Reason.NO_FRAMES),
    (_has_many_frames, Reason.TOO_MANY),
    (_lacks_frames, Reason.TOO_FEW),
    (_is_out_of_order, Reason.ORDER),
    (_has_odd_times, Reason.TIMES),
    (_repeats, Reason.REPEATED),
    (_has_two_cameras, Reason.TWO_CAMERAS),
    (_loses_the_hand, Reason.NO_HAND),
    (_has_two_hands, Reason.TWO_HANDS),
)

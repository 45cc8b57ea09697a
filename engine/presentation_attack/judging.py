"""Judges sessions: input, one palm, the motions as the gate, and what supports it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from engine.parameters import (
    FLAT_RESIDUAL,
    LIGHT_AGAINST,
    LIGHT_MIN_GAIN,
    TRACE_LIMITS,
)
from engine.presentation_attack.input_checks import find_bad_input
from engine.presentation_attack.motion_checks import find_broken_challenge, margins
from engine.presentation_attack.observing import FrameObserver
from engine.presentation_attack.same_palm import find_other_palm
from engine.presentation_attack.session import Outcome, Reason, Verdict
from engine.presentation_attack.supports import (
    light_answer,
    tilt_residual,
    trace_peaks,
)
from engine.presentation_attack.traces import TRACES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.presentation_attack.challenge import Challenge
    from engine.presentation_attack.session import Observation

    Steps = Sequence[Sequence[Observation]]

UNTOLD: Final = frozenset(
    {
        Reason.NO_FRAMES,
        Reason.TOO_FEW,
        Reason.NO_HAND,
        Reason.TWO_HANDS,
        Reason.UNUSABLE,
        Reason.NOT_IN_PLACE,
        Reason.TOO_LATE,
    }
)
"""Reasons that say nothing of an artefact: honest people have them, too."""


NO_MOTION: Final = -2.0
"""Progress of motions that were not looked at."""


class SessionJudge(FrameObserver):
    """Detects presentation attacks by a challenge of motions. Thread-safe."""

    def judge(
        self, challenge: Challenge, steps: Steps, answered_s: Sequence[float] | None = None
    ) -> Verdict:
        """Judge a session by its challenge and observations."""
        if reason := find_bad_input(challenge, steps, answered_s):
            return _refused(reason)
        motion = min(margins(challenge, steps))
        reason = (
            find_broken_challenge(challenge, steps)
            or find_other_palm(challenge, steps)
            or _find_artefact(challenge, steps)
        )
        if reason:
            return _refused(reason, motion)
        return Verdict(Outcome.BONA_FIDE, score=0.5 + 0.5 * _clearness(motion))


def _find_artefact(challenge: Challenge, steps: Steps) -> Reason | None:
    """Return which support speaks clearly against a palm; NaN never does."""
    limits = [TRACE_LIMITS[name] for name in TRACES]
    if any(trace_peaks(steps) > limits):
        return Reason.TRACES
    if tilt_residual(steps) < FLAT_RESIDUAL:
        return Reason.FLAT
    light, gain = light_answer(challenge, steps)
    if gain < -LIGHT_MIN_GAIN and light < LIGHT_AGAINST:
        return Reason.LIGHT
    return None


def _refused(reason: Reason, motion: float = NO_MOTION) -> Verdict:
    outcome = Outcome.CANNOT_TELL if reason in UNTOLD else Outcome.ATTACK
    return Verdict(outcome, reason, 0.5 * min(_clearness(motion), 0.99))


def _clearness(motion: float) -> float:
    """Return how far the motions went, 0 to 1; 0.5 at the threshold."""
    return 1 / (1 + math.exp(-2 * (motion - 1)))

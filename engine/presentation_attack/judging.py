"""Judges sessions: input, one palm, the motions as the gate, and what supports it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from engine.parameters import FLAT_RESIDUAL, SHARED_BACKGROUND, TRACE_LIMITS
from engine.presentation_attack.challenge import Challenge
from engine.presentation_attack.input_checks import find_bad_input
from engine.presentation_attack.motion_checks import find_broken_challenge, margins
from engine.presentation_attack.observing import FrameObserver
from engine.presentation_attack.same_palm import find_other_palm
from engine.presentation_attack.session import Observation, Outcome, Reason, Verdict
from engine.presentation_attack.supports import shared_background, tilt_residual, trace_peaks
from engine.presentation_attack.traces import TRACES

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


class SessionJudge(FrameObserver):
    """Detects presentation attacks by a challenge of motions. Thread-safe."""

    def judge(
        self, challenge: Challenge, steps: Steps, answered_s: Sequence[float] | None = None
    ) -> Verdict:
        """Judge a session by its challenge and observations."""
        if reason := find_bad_input(challenge, steps, answered_s):
            return _verdict(reason, {})
        parts = _parts(challenge, steps)
        reason = (
            find_broken_challenge(challenge, steps)
            or find_other_palm(challenge, steps)
            or _find_artefact(parts)
        )
        return _verdict(reason, parts)


def _parts(challenge: Challenge, steps: Steps) -> dict[str, float]:
    peaks = trace_peaks(steps)
    return {
        "motion": min(margins(challenge, steps)),
        "tilt": tilt_residual(steps),
        "background": shared_background(steps),
        **dict(zip(TRACES, map(float, peaks), strict=True)),
    }


def _find_artefact(parts: Mapping[str, float]) -> Reason | None:
    """Return which support speaks clearly against a palm; NaN never does."""
    if any(parts[name] > limit for name, limit in TRACE_LIMITS.items()):
        return Reason.TRACES
    if parts["background"] > SHARED_BACKGROUND:
        return Reason.BACKGROUND
    if parts["tilt"] < FLAT_RESIDUAL:
        return Reason.FLAT
    return None


def _verdict(reason: Reason | None, parts: Mapping[str, float]) -> Verdict:
    """Judge; the score is how far the motions went, above 0.5 if every check passed."""
    clear = 1 / (1 + math.exp(-2 * (parts.get("motion", -2.0) - 1)))
    if reason is None:
        return Verdict(Outcome.BONA_FIDE, None, 0.5 + 0.5 * clear, parts)
    outcome = Outcome.CANNOT_TELL if reason in UNTOLD else Outcome.ATTACK
    return Verdict(outcome, reason, 0.5 * min(clear, 0.99), parts)

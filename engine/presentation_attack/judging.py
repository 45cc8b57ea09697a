"""Judges sessions: input, one palm, the motions as the gate, and what supports it.

A frame is reduced to an observation: the hand is found once, then followed. ``load_detector``
builds the detector that ``THENAR_ENGINE_ATTACK_DETECTION`` names.
"""

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import entry_points
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.errors import EngineError, ModelFault
from engine.extract import Extractor
from engine.hand.landmarks import LandmarkLocator
from engine.presentation_attack.challenge import Challenge
from engine.presentation_attack.checks import (
    find_bad_input,
    find_broken_challenge,
    find_other_palm,
    margins,
    shared_background,
    tilt_residual,
    trace_peaks,
)
from engine.presentation_attack.motions import look_round, palm_colour
from engine.presentation_attack.parameters import FLAT_RESIDUAL, SHARED_BACKGROUND, TRACE_LIMITS
from engine.presentation_attack.session import (
    Frame,
    Observation,
    Outcome,
    Phase,
    Reason,
    SessionDetector,
    Verdict,
)
from engine.presentation_attack.traces import TRACES, trace_measures
from engine.settings import EngineSettings
from engine.types import Extraction, PalmLandmarks

_DIGEST_ROWS: Final = 4
"""Every so many rows of pixels are digested: a frame sent twice has all of them."""

_NOTHING: Final = np.zeros(0, np.float32)

Steps = Sequence[Sequence[Observation]]


class SessionJudge:
    """Detects presentation attacks by a challenge of motions. Thread-safe."""

    def __init__(self, locator: LandmarkLocator, extractors: Sequence[Extractor]) -> None:
        self._locator, self._extractors = locator, extractors

    def observe(self, frame: Frame, previous: Observation | None = None) -> Observation:
        """Reduce a frame, given the one before it in the session."""
        pixels = frame.sample.pixels
        height, width = pixels.shape[:2]
        digest = hashlib.sha256(pixels[::_DIGEST_ROWS].tobytes()).digest()[:16]
        seen = frame.at_s, frame.phase, (width, height), digest
        hands = self._find(frame, previous)
        if not hands:
            return Observation(*seen)
        found = hands[0]
        made = self._extract(frame, found)
        return Observation(
            *seen,
            hands=len(hands),
            hand=found.hand,
            points=found.points,
            presence=found.presence,
            templates=tuple(one.template for one in made),
            quality=made[0].quality.score if made else 0,
            colour=palm_colour(pixels, found.points),
            traces=_traces(frame, found.points),
            look=_look(frame, found.points),
        )

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

    def _find(self, frame: Frame, previous: Observation | None) -> list[PalmLandmarks]:
        """Follow the hand; search where a step begins, or if it is lost."""
        if previous is not None and previous.hand and frame.phase is not Phase.OPEN:
            followed = self._locator.follow(frame.sample, previous.points)
            if followed is not None:
                return [followed]
        return self._locator.locate_all(frame.sample)

    def _extract(self, frame: Frame, found: PalmLandmarks) -> list[Extraction]:
        """Return an extraction of each extractor, or none if the palm gives none."""
        try:
            return [one.extract(frame.sample, found) for one in self._extractors]
        except EngineError:
            return []


def _traces(frame: Frame, points: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the traces of an open hand: of a moving one, blur hides them."""
    if frame.phase is Phase.MOVED:
        return _NOTHING
    return trace_measures(frame.sample.pixels, points)


def _look(frame: Frame, points: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the surroundings where a step begins."""
    return look_round(frame.sample.pixels, points) if frame.phase is Phase.OPEN else _NOTHING


UNDECIDED: Final = frozenset(
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
    outcome = Outcome.CANNOT_TELL if reason in UNDECIDED else Outcome.ATTACK
    return Verdict(outcome, reason, 0.5 * min(clear, 0.99), parts)


ENTRY_POINTS: Final = "thenar.attack_detectors"
"""Group of the detectors that an operator installs."""


DetectorFactory = Callable[
    [EngineSettings, LandmarkLocator, Sequence[Extractor]], SessionDetector
]
"""An entry point that makes a detector; its observations have a template of each extractor."""


def load_detector(
    settings: EngineSettings, locator: LandmarkLocator, extractors: Sequence[Extractor]
) -> SessionDetector | None:
    """Return the detector of sessions; None: a session is never demanded.

    Raises:
        ModelFault: no entry point has this name.
    """
    match settings.attack_detection:
        case "none" | "passive":
            return None
        case "challenge":
            return SessionJudge(locator, extractors)
        case name:
            return _factory(name)(settings, locator, extractors)


def _factory(name: str) -> DetectorFactory:
    found = list(entry_points(group=ENTRY_POINTS, name=name))
    if not found:
        raise ModelFault(
            f"THENAR_ENGINE_ATTACK_DETECTION: no detector {name!r}; there are none, passive,"
            f" challenge and entry points of {ENTRY_POINTS}"
        )
    factory: DetectorFactory = found[0].load()
    return factory

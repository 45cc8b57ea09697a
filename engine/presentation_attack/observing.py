"""Reduces a frame to an observation: finds the hand once, then follows it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.errors import EngineError
from engine.extract import Extractor
from engine.hand.landmarks import LandmarkLocator
from engine.presentation_attack.session import Frame, Observation, Phase
from engine.presentation_attack.surroundings import look_round, palm_colour
from engine.presentation_attack.traces import trace_measures
from engine.types import Extraction, PalmLandmarks

_DIGEST_ROWS: Final = 4
"""Every so many rows of pixels are digested: a frame sent twice has all of them."""

_NOTHING: Final = np.zeros(0, np.float32)


class FrameObserver:
    """Makes observations. Thread-safe."""

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

"""Films of a victim: of an answer to another challenge, or of each motion."""

import random
from dataclasses import replace
from typing import Final

import numpy as np

from engine.presentation_attack.challenge import Challenge, Outline, draw_challenge
from models.synthesis.anatomy import F32, F64
from models.synthesis.presentations.artefacts import Picture, picture_of
from models.synthesis.presentations.cameras import CAMERAS
from models.synthesis.presentations.lamps import LAMPS
from models.synthesis.presentations.living_hand import LivingHand
from models.synthesis.presentations.performance import Moment, Performance
from models.synthesis.presentations.scene import Scene
from models.synthesis.presentations.sources import Victim


class Recording:
    """A film; the thief starts each step's part when that step is asked."""

    def __init__(self, scene: Scene, filmed: LivingHand, performance: Performance) -> None:
        self._scene, self._filmed, self._performance = scene, filmed, performance
        self._landmarks: dict[int, F64] = {}

    def at(self, moment: Moment) -> Picture:
        """Return the film's picture; its landmarks are where its step begins."""
        hand = self._filmed.drawn(self._scene, moment)
        joints = self._landmarks.setdefault(moment.step, hand.joints)
        start = self._performance.start_s(moment.step)
        background = self._scene.background(start + moment.at_s)
        pixels = self._scene.take(hand.over(background))
        return picture_of(pixels, joints, hand.coverage_of(self._scene.camera.size_px))


class Recaptured:
    """A living hand's session, shown without loss and taken a second time, pixel by pixel."""

    def __init__(
        self, rng: np.random.Generator, victim: Victim, performance: Performance
    ) -> None:
        self._rng, self._performance = rng, performance
        self._living = LivingHand(rng, victim.person_seed, victim.hand, performance)
        self._film: Recording | None = None

    def seen(self, scene: Scene, moment: Moment) -> F32:
        """Return the linear light of the first camera's picture."""
        if self._film is None:
            lamp = LAMPS[int(self._rng.integers(len(LAMPS)))]
            first = Scene(self._rng, scene.camera, lamp)
            self._film = Recording(first, self._living, self._performance)
        return self._film.at(moment).tone


_FILMED_WITH: Final = CAMERAS[1]


def film(
    rng: np.random.Generator, victim: Victim, asked: Challenge, *, same_motions: bool
) -> Recording:
    """Film the victim's answer to another challenge, with the asked motions or others."""
    other = draw_challenge(random.Random(int(rng.integers(2**32))))  # noqa: S311
    if same_motions:
        pairs = zip(other.steps, asked.steps, strict=False)
        other = Challenge(tuple(replace(mine, motion=step.motion) for mine, step in pairs))
    else:
        other = Challenge(other.steps[: len(asked.steps)])
    scene = Scene(rng, _FILMED_WITH, LAMPS[int(rng.integers(len(LAMPS)))])
    performance = Performance(rng, other)
    living = LivingHand(rng, victim.person_seed, victim.hand, performance)
    return Recording(scene, living, performance)


_DIRECTIONS_DEG: Final = 45.0
"""Between the tilts that a library holds."""


class ClipLibrary:
    """Films of the victim doing each motion; the fitting picture is shown for every frame."""

    def __init__(
        self, rng: np.random.Generator, victim: Victim, performance: Performance
    ) -> None:
        self._asked, steps = performance, performance.challenge.steps
        filmed = Challenge(
            tuple(
                replace(step, outline=_FILMED_AT, tilt_deg=_nearest(step.tilt_deg))
                for step in steps
            )
        )
        scene = Scene(rng, _FILMED_WITH, LAMPS[int(rng.integers(3))])
        self._filmed = Performance(rng, filmed)
        living = LivingHand(rng, victim.person_seed, victim.hand, self._filmed)
        self._recording = Recording(scene, living, self._filmed)

    def at(self, moment: Moment) -> Picture:
        """Return the film's picture of the same part of the step."""
        asked, filmed = (
            [one for one in each.moments(moment.step) if one.phase is moment.phase]
            for each in (self._asked, self._filmed)
        )
        off = [abs(one.at_s - moment.at_s) for one in asked]
        return self._recording.at(filmed[off.index(min(off))])


_FILMED_AT: Final = Outline(0.5, 0.62, 0.26)


def _nearest(tilt_deg: float | None) -> float | None:
    return None if tilt_deg is None else round(tilt_deg / _DIRECTIONS_DEG) * _DIRECTIONS_DEG

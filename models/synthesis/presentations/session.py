"""One session before a camera: bona fide or an attack, as the page would send it."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

import numpy as np

from engine.presentation_attack.challenge import Challenge
from engine.presentation_attack.session import Phase
from engine.types import Hand
from models.synthesis.anatomy import U8
from models.synthesis.presentations.cameras import CAMERAS, LAMPS, Camera, Lamp, Scene
from models.synthesis.presentations.performance import Moment, Performance
from models.synthesis.presentations.puppet import Presenter
from models.synthesis.presentations.sources import Victim, correction_of
from models.synthesis.presentations.species import SPECIES, present
from models.synthesis.presentations.warped import sent

_Sort = TypeVar("_Sort", Camera, Lamp)

_CORRECTIONS: Final = 3
"""How often a person corrects an open palm as the page says."""


@dataclass(frozen=True, slots=True)
class DrawnFrame:
    """One frame of a step.

    Attributes:
        pixels: shape (height, width, 3), uint8, RGB, after the camera's JPEG.
        at_s: since the phone received the step.
        step: number, from 0.
    """

    pixels: U8 = field(repr=False)
    at_s: float
    phase: Phase
    step: int


@dataclass(frozen=True, slots=True)
class Filming:
    """A session that can be seen at any moment, one after the other."""

    scene: Scene
    performance: Performance
    presenter: Presenter
    is_injected: bool = False

    def frames(self) -> list[DrawnFrame]:
        """Return the frames that the page would send, in their order."""
        return [
            DrawnFrame(
                pixels=self.take_as_page(moment),
                at_s=round(moment.at_s, 3),
                phase=moment.phase,
                step=number,
            )
            for number in range(len(self.performance.challenge.steps))
            for moment in self.performance.moments(number)
        ]

    def take(self, moment: Moment) -> U8:
        """Take the picture of a moment."""
        light = self.presenter(self.scene, moment)
        return sent(light) if self.is_injected else self.scene.take(light)

    def take_as_page(self, moment: Moment) -> U8:
        """Take a picture as the page does: of an open palm once it says nothing of it."""
        pixels = self.take(moment)
        asked = self.performance.challenge.steps[moment.step].outline
        for _ in range(_CORRECTIONS if moment.phase is Phase.OPEN else 0):
            held = self.performance.places[moment.step]
            place, is_too_bright = correction_of(asked, held, pixels)
            if place is None and not is_too_bright:
                break
            if place is not None:
                self.performance.places[moment.step] = place
            else:
                self.scene.lighting = self.scene.lighting.dimmed()
            pixels = self.take(moment)
        return pixels


def open_filming(  # noqa: PLR0913 - a session has that many sides
    species: str,
    person_seed: int,
    session_seed: int,
    challenge: Challenge,
    *,
    source: U8 | None = None,
    hand: Hand = Hand.LEFT,
    is_kept_out: bool = False,
) -> Filming:
    """Set a session up. Deterministic.

    ``species``: ``BONA_FIDE``, ``CONTROL`` or one of ``SPECIES``; ``source``: a picture of a
    palm that is printed or shown, instead of a drawn one of this person; ``is_kept_out`` takes
    a lamp and a camera out of those that nothing is tuned with.
    """
    rng = np.random.default_rng((person_seed, session_seed, zlib.crc32(species.encode())))
    camera = _one(rng, CAMERAS, is_kept_out=is_kept_out)
    scene = Scene(rng, camera, _one(rng, LAMPS, is_kept_out=is_kept_out))
    performance = Performance(rng, challenge)
    victim = Victim(person_seed, hand, source)
    is_injected = any(one.is_injected for one in SPECIES if one.name == species)
    return Filming(scene, performance, present(species, rng, victim, performance), is_injected)


def _one(rng: np.random.Generator, sorts: Sequence[_Sort], *, is_kept_out: bool) -> _Sort:
    able = [one for one in sorts if one.is_kept_out == is_kept_out]
    return able[int(rng.integers(len(able)))]

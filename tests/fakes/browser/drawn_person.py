"""A drawn person who answers challenges in a browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from engine.presentation_attack.challenge import Challenge, Motion, Outline, Step
from engine.presentation_attack.session import Phase
from engine.types import Hand
from models.synthesis.presentations.session import draw_session
from models.synthesis.presentations.species import BONA_FIDE

if TYPE_CHECKING:
    from benchmarks.phone_page.camera_file import Frame

LANDSCAPE = (480, 640)
"""Frames of the drawn laptop: those of the browser's camera."""

FIRST = Step(Motion.FOLD_THUMB, Outline(0.5, 0.6, 0.2), 1.0)
"""What a person shows before anything is asked: the open palm that it begins with."""


@dataclass(frozen=True, slots=True)
class DrawnPerson:
    """One hand of a person; another number is another person."""

    number: int
    hand: Hand = Hand.RIGHT

    def palm(self) -> Frame:
        """Return a frame with the open palm."""
        return _drawn(self.number, self.hand, (FIRST,))[0][1]

    def __call__(self, steps: Sequence[Mapping[str, Any]]) -> Sequence[tuple[str, Frame]]:
        """Draw the frames of the last of these steps, as the service sent them."""
        return _drawn(self.number, self.hand, tuple(map(_step, steps)))


def _drawn(number: int, hand: Hand, steps: tuple[Step, ...]) -> list[tuple[str, Frame]]:
    seed = _seed_of_landscape(number)
    frames = draw_session(BONA_FIDE, number, seed, Challenge(steps), hand=hand)
    return [(each.phase, each.pixels) for each in frames if each.step == len(steps) - 1]


@cache
def _seed_of_landscape(number: int) -> int:
    """Return a session before a camera whose frames lie."""
    seed = 0
    while _shape(number, seed) != LANDSCAPE:
        seed += 1
    return seed


def _shape(number: int, seed: int) -> tuple[int, ...]:
    drawn = draw_session(BONA_FIDE, number, seed, Challenge((FIRST,)))
    assert drawn[0].phase is Phase.OPEN
    return drawn[0].pixels.shape[:2]


def _step(said: Mapping[str, Any]) -> Step:
    colours = tuple((red, green, blue) for red, green, blue in said["colours"])
    return Step(
        Motion(said["motion"]),
        Outline(**said["outline"]),
        said["hold_ms"] / 1000,
        said["tilt_deg"],
        colours,
    )

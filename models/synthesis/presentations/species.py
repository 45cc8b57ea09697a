"""The species of attacks: what is shown, and how it is moved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from models.synthesis.anatomy import F32
from models.synthesis.presentations.artefacts import Print, Screen
from models.synthesis.presentations.living_hand import LivingHand
from models.synthesis.presentations.performance import Moment, Performance
from models.synthesis.presentations.scene import Scene
from models.synthesis.presentations.shown import Handling, ShownSheet
from models.synthesis.presentations.sources import Victim, stolen_picture

BONA_FIDE: Final = "bona_fide"
"""The species of a living hand that follows the challenge."""


class Presenter(Protocol):
    """Who or what is before the camera."""

    def seen(self, scene: Scene, moment: Moment) -> F32:
        """Return the linear light that reaches the camera."""
        ...


_Make = Callable[[np.random.Generator, Victim, Performance], Presenter]


@dataclass(frozen=True, slots=True)
class Species:
    """One way to attack.

    Attributes:
        is_kept_out: from everything that is tuned.
    """

    name: str
    make: _Make
    is_kept_out: bool = False


def _photo(rng: np.random.Generator) -> Print:
    return Print(gamut=rng.uniform(0.75, 0.9), gloss=rng.uniform(0.01, 0.15))


def _phone(rng: np.random.Generator) -> Screen:
    return Screen(
        pixel_mm=rng.uniform(0.055, 0.075),
        nits=rng.uniform(250, 600),
        mm_per_unit=rng.uniform(32, 44),
        bezel=rng.uniform(0.05, 0.12),
        flicker=rng.uniform(0.0, 0.05),
    )


def _sheet(look: Callable[[np.random.Generator], Print | Screen], handling: Handling) -> _Make:
    """Return how to show the victim's photo on something, handled in one way."""

    def make(rng: np.random.Generator, victim: Victim, performance: Performance) -> Presenter:
        return ShownSheet(rng, look(rng), stolen_picture(rng, victim), handling, performance)

    return make


SPECIES: Final = (
    Species("print_photo", _sheet(_photo, Handling())),
    Species("screen_phone", _sheet(_phone, Handling())),
)


def present(
    species: str, rng: np.random.Generator, victim: Victim, performance: Performance
) -> Presenter:
    """Return who shows what in a session of a species.

    Raises:
        KeyError: an unknown species.
    """
    if species == BONA_FIDE:
        return LivingHand(rng, victim.person_seed, victim.hand, performance)
    return {s.name: s.make for s in SPECIES}[species](rng, victim, performance)

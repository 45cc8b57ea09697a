"""Lamps, and the light of the asking screen beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from models.synthesis.anatomy import F64
from models.synthesis.hand.skin import to_linear
from models.synthesis.render import Light, sample_light


@dataclass(frozen=True, slots=True)
class Lamp:
    """One sort of light in a room.

    Attributes:
        lux: at the palm, low and high.
        ambient: share of light without direction, low and high.
        warmth: of its colour, low and high; 0 is neutral.
        is_kept_out: from everything that is tuned.
    """

    name: str
    lux: tuple[float, float]
    ambient: tuple[float, float]
    warmth: tuple[float, float]
    is_kept_out: bool = False


LAMPS: Final = (
    Lamp("ceiling", (150, 450), (0.40, 0.55), (-0.02, 0.06)),
    Lamp("window", (400, 2000), (0.35, 0.50), (-0.08, 0.0)),
    Lamp("desk", (250, 700), (0.25, 0.40), (0.02, 0.12)),
    Lamp("evening", (60, 160), (0.30, 0.50), (0.08, 0.20), is_kept_out=True),
    Lamp("office", (400, 900), (0.50, 0.65), (-0.04, 0.02), is_kept_out=True),
    Lamp("outdoors", (3000, 20000), (0.55, 0.70), (-0.10, 0.0), is_kept_out=True),
)

PALM_MM: Final = 62.0
"""Distance of landmarks 5 and 17: one palm unit."""

_SCREEN_LUX: Final = 94.0
"""Of a white phone screen of 400 cd/m² at 200 mm."""


_DIMMED: Final = 0.6
"""What is left of a light when somebody hears that it is too bright."""


@dataclass(frozen=True, slots=True)
class Lighting:
    """The light of one session: the lamp, and an asking screen of so many cd/m².

    ``shown`` is the share of its light that a screen gives which an attacker shows.
    """

    lamp: Light
    lux: float
    screen_nits: float
    shown: float = 1.0

    def dimmed(self) -> Lighting:
        """Return it where somebody has turned from the lamp, or dimmed what is shown."""
        lamp = self.lamp
        darker = replace(lamp, key=_DIMMED * lamp.key, ambient=_DIMMED * lamp.ambient)
        return replace(self, lamp=darker, shown=_DIMMED * self.shown)

    def seen_with(self, shown: Sequence[int] | None, distance: float) -> Light:
        """Return the light at a palm ``distance`` units away from the screen."""
        white = _SCREEN_LUX * self.screen_nits / 400 * (200 / (distance * PALM_MM)) ** 1.87
        colour = to_linear(np.array(shown if shown is not None else NEUTRAL, dtype=float))
        return replace(self.lamp, front=white / self.lux * colour)


NEUTRAL: Final = (176, 176, 176)
"""What the page shows between colours."""


def light_room(rng: np.random.Generator, lamp: Lamp) -> Lighting:
    """Draw one session's light."""
    ambient, warmth = rng.uniform(*lamp.ambient), rng.uniform(*lamp.warmth)
    tint: F64 = np.array([1 + warmth, 1.0, 1 - 1.3 * warmth])
    shot = replace(sample_light(rng), ambient=ambient, key=1.05 - ambient, tint=tint)
    lux = float(np.exp(rng.uniform(*np.log(lamp.lux))))
    return Lighting(shot, lux, float(rng.uniform(250, 600)))

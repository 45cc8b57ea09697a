"""Lamps, and the light that they give in one session."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from models.synthesis.anatomy import F64
from models.synthesis.render import Light, sample_light


@dataclass(frozen=True, slots=True)
class Lamp:
    """One sort of light in a scene.

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

_DIMMED: Final = 0.6
"""Share of the light that stays after the page says that it is too bright."""


@dataclass(frozen=True, slots=True)
class Lighting:
    """The light of one session.

    ``shown`` is the share of its light that a screen gives which an attacker shows.
    """

    lamp: Light
    lux: float
    shown: float = 1.0

    def dimmed(self) -> Lighting:
        """Return it after a turn away from the lamp, or with a dimmed screen."""
        lamp = self.lamp
        darker = replace(lamp, key=_DIMMED * lamp.key, ambient=_DIMMED * lamp.ambient)
        return replace(self, lamp=darker, shown=_DIMMED * self.shown)


def draw_lighting(rng: np.random.Generator, lamp: Lamp) -> Lighting:
    """Draw one session's light."""
    ambient, warmth = rng.uniform(*lamp.ambient), rng.uniform(*lamp.warmth)
    tint: F64 = np.array([1 + warmth, 1.0, 1 - 1.3 * warmth])
    shot = replace(sample_light(rng), ambient=ambient, key=1.05 - ambient, tint=tint)
    return Lighting(shot, float(np.exp(rng.uniform(*np.log(lamp.lux)))))

"""The colour of one person's skin, on the palm's side."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from models.synthesis.anatomy import F32, F64

_TONES: Final[F64] = np.array(
    [(240, 200, 184), (229, 179, 156), (207, 151, 123), (174, 121, 94), (140, 96, 74)],
    dtype=np.float64,
)
"""Palmar skin from lightest to darkest, sRGB, 0 to 255. Palms are lighter than backs."""


@dataclass(frozen=True, slots=True)
class Skin:
    """Colours of a person.

    Attributes:
        tone: linear RGB reflectance, 0 to 1.
        melanin: 0 (lightest) to 1 (darkest); dark skin has darker lines.
        flush: how much redder fingertips and the balls of the palm are, 0 to 1.
    """

    tone: tuple[float, float, float]
    melanin: float
    flush: float


def to_linear(srgb: F64) -> F64:
    """Turn sRGB, 0 to 255, into linear light, 0 to 1 (IEC 61966-2-1)."""
    share = srgb / 255.0
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def to_srgb(linear: F32) -> F32:
    """Turn linear light into sRGB, both 0 to 1, by a table of 4096 steps."""
    steps = np.linspace(0, 1, 4096, dtype=np.float32)
    table = np.where(steps <= 0.0031308, 12.92 * steps, 1.055 * steps ** (1 / 2.4) - 0.055)
    index = np.clip(linear * np.float32(4095) + np.float32(0.5), 0, 4095).astype(np.int16)
    srgb: F32 = table.astype(np.float32)[index]
    return srgb


def make_skin(rng: np.random.Generator) -> Skin:
    """Draw a person's skin from the whole human range."""
    melanin = float(rng.uniform(0, 1))
    at = melanin * (len(_TONES) - 1)
    tone = np.array([np.interp(at, range(len(_TONES)), _TONES[:, i]) for i in range(3)])
    tone *= 1 + rng.normal(0, 0.02, 3)
    red, green, blue = to_linear(np.clip(tone, 0, 255))
    return Skin(tone=(red, green, blue), melanin=melanin, flush=float(rng.uniform(0.3, 1.0)))

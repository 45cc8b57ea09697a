"""One hand of one person: what all its photos share.

The skin of the hand at rest is drawn flat: pixel (column, row) is at ((column + ½) / SCALE +
LEFT, (row + ½) / SCALE + TOP) of the palm frame; ``body`` maps each pixel of a photo to it.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import cv2
import numpy as np

from engine.types import Hand
from models.synthesis.anatomy import F32, F64, U8
from models.synthesis.hand.creases import Crease, draw_creases
from models.synthesis.hand.hand_shape import HandShape, make_shape
from models.synthesis.texture import (
    band_noise,
    blur,
    crease_network,
    elongated_noise,
    smooth_noise,
)

SCALE: Final = 200.0
"""Atlas pixels per unit: a little finer than a 720 px photo shows."""

LEFT: Final = -1.75
TOP: Final = -1.95
WIDTH: Final = 560
HEIGHT: Final = 820


@dataclass(frozen=True, slots=True)
class Atlas:
    """Three layers of skin, shape (HEIGHT, WIDTH), float32.

    Attributes:
        lines: how deep and dark a crease is, 0 to about 1.
        grain: fine texture, zero mean, deviation about 1, negative in furrows.
        mottle: uneven blood and thickness, zero mean, unit deviation, positive where pale.
    """

    lines: F32 = field(repr=False)
    grain: F32 = field(repr=False)
    mottle: F32 = field(repr=False)


def draw_atlas(rng: np.random.Generator, joints: F64) -> Atlas:
    """Draw the skin of one identity; ``joints``: shape (21, 3), the hand at rest."""
    clear, fine = np.exp(rng.normal((0.12, -0.05), (0.18, 0.2))).astype(np.float32)
    return Atlas(
        lines=draw_lines(draw_creases(rng, joints)) * clear,
        grain=_draw_grain(rng) * fine,
        mottle=_draw_mottle(rng),
    )


def draw_lines(creases: list[Crease]) -> F32:
    """Draw all creases: a narrow furrow each, and a fold around broad ones."""
    layers = [np.zeros((HEIGHT, WIDTH), np.uint8) for _ in range(3)]
    for crease in creases:
        layer = layers[0 if crease.width < 0.0055 else 1 if crease.width < 0.0105 else 2]
        _draw_crease(layer, crease)
    fine, medium, broad = (layer.astype(np.float32) / np.float32(255) for layer in layers)
    lines = blur(fine, 0.7) * np.float32(0.8)
    lines = np.maximum(lines, blur(medium, 0.8))
    lines = np.maximum(lines, blur(broad, 0.9))
    fold = blur(broad, 6.5) * 1.3 + blur(medium, 3.5) * 0.5
    drawn: F32 = lines + np.float32(0.9) * fold
    return drawn


def _draw_crease(layer: U8, crease: Crease) -> None:
    points = (crease.points - (LEFT, TOP)) * SCALE - 0.5
    low = np.floor(points.min(axis=0)).astype(int) - 4
    high = np.ceil(points.max(axis=0)).astype(int) + 5
    left, top = np.maximum(low, 0)
    right, bottom = np.minimum(high, (WIDTH, HEIGHT))
    if left >= right or top >= bottom:
        return
    window = layer[top:bottom, left:right]
    canvas = np.zeros_like(window)
    fixed = np.round((points - (left, top)) * 16).astype(int)
    values = np.clip(255 * crease.strength, 0, 255).astype(int)
    thickness = crease.width * SCALE * (0.5 + 0.5 * crease.strength / crease.strength.max())
    for i in range(len(fixed) - 1):
        cv2.line(
            canvas, fixed[i].tolist(), fixed[i + 1].tolist(), int(values[i]),
            max(1, round(float(thickness[i]))), cv2.LINE_AA, 4,
        )  # fmt: skip
    np.maximum(window, canvas, out=window)


def _draw_grain(rng: np.random.Generator) -> F32:
    shape = (HEIGHT, WIDTH)
    first = rng.uniform(0, np.pi)
    grain = np.zeros(shape, np.float32)
    for number, spacing in enumerate((9.0, 13.0, 19.0)):
        heading = first + number * np.pi / 3 + rng.normal(0, 0.25)
        visible = np.clip(
            np.float32(0.55) + np.float32(0.5) * smooth_noise(rng, shape, 60), 0, 1.3
        )
        grain -= crease_network(rng, shape, spacing, heading) * visible * np.float32(1.2)
    for sigma, share in ((1.0, 0.30), (2.2, 0.40), (5.0, 0.5), (11.0, 0.5)):
        grain += np.float32(share) * band_noise(rng, shape, sigma)
    grain -= grain.mean()
    grained: F32 = grain / grain.std()
    return grained


def _draw_mottle(rng: np.random.Generator) -> F32:
    shape = (HEIGHT, WIDTH)
    mottle = np.zeros(shape, np.float32)
    for sigma, share in ((7.0, 0.45), (15.0, 0.6), (34.0, 0.7)):
        mottle += np.float32(share) * smooth_noise(rng, shape, sigma)
    for spacing, heading, share in ((26.0, 0.80, 0.6), (38.0, 0.25, 0.6)):
        turned = heading + rng.normal(0, 0.3)
        mottle += np.float32(share) * elongated_noise(rng, shape, spacing, turned)
    mottled: F32 = mottle / mottle.std()
    return mottled


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


_SHAPE, _SKIN, _PALM, _SHOT = range(4)
_SIDE: Final = {Hand.LEFT: 0, Hand.RIGHT: 1}


@dataclass(frozen=True, slots=True)
class HandIdentity:
    """One synthetic hand, modelled as a left one; skin colour is shared with the other hand."""

    hand: Hand
    shape: HandShape
    atlas: Atlas
    skin: Skin


@lru_cache(maxsize=4)
def make_identity(person_seed: int, hand: Hand) -> HandIdentity:
    """Make one hand of a person. Both share shape and colour, not the palm."""
    shape = make_shape(np.random.default_rng((person_seed, _SHAPE)))
    palm = np.random.default_rng((person_seed, _PALM, _SIDE[hand]))
    return HandIdentity(
        hand=hand,
        shape=shape,
        atlas=draw_atlas(palm, shape.joints),
        skin=make_skin(np.random.default_rng((person_seed, _SKIN))),
    )


def shot_rng(person_seed: int, hand: Hand, shot_seed: int) -> np.random.Generator:
    """Return the random source of one photo."""
    return np.random.default_rng((person_seed, _SHOT, _SIDE[hand], shot_seed))

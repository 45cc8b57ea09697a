"""Draws backgrounds: blurred interiors, desks and walls. Linear RGB."""

from typing import Final

import cv2
import numpy as np

from models.synthesis.anatomy import F32, F64
from models.synthesis.filters import blur, resize
from models.synthesis.hand.skin import to_linear
from models.synthesis.texture import smooth_noise


def draw_background(rng: np.random.Generator, shape: tuple[int, int]) -> F32:
    """Draw a background, shape (rows, columns, 3), float32, linear, 0 to about 1."""
    scenes = (_wall, _interior, _interior, _desk)
    small = (shape[0] // 3 + 1, shape[1] // 3 + 1)
    scene = scenes[int(rng.integers(len(scenes)))](rng, small)
    scene *= _falloff(rng, small)[..., None]
    return np.maximum(resize(scene, shape[1], shape[0], smooth=True), 0)


_PALETTE: Final[F64] = np.array(
    [
        (222, 216, 206), (198, 188, 174), (168, 170, 172), (128, 132, 138), (92, 92, 94),
        (172, 146, 116), (128, 98, 72), (84, 64, 50), (116, 130, 146), (70, 84, 104),
        (132, 142, 124), (88, 104, 92), (168, 128, 112), (196, 176, 150), (52, 52, 58),
    ],
    dtype=np.float64,
)  # fmt: skip
"""Colours of interiors, sRGB: plaster, concrete, wood, cloth, leaves, brick."""


def _colour(rng: np.random.Generator) -> F32:
    """Return the colour of an object in the background, linear RGB, shape (3,)."""
    srgb = _PALETTE[int(rng.integers(len(_PALETTE)))] * np.exp(rng.normal(0, 0.12))
    return to_linear(np.clip(srgb + rng.normal(0, 5, 3), 4, 250)).astype(np.float32)


def _falloff(rng: np.random.Generator, shape: tuple[int, int]) -> F32:
    y, x = np.mgrid[-1 : 1 : shape[0] * 1j, -1 : 1 : shape[1] * 1j].astype(np.float32)
    angle = rng.uniform(0, 2 * np.pi)
    slope = np.float32(rng.uniform(0, 0.25))
    fall: F32 = 1 + slope * (np.float32(np.cos(angle)) * x + np.float32(np.sin(angle)) * y)
    return fall


def _wall(rng: np.random.Generator, shape: tuple[int, int]) -> F32:
    colour = _colour(rng)
    uneven = 1 + np.float32(0.03) * smooth_noise(rng, shape, 25)
    return colour * uneven[..., None]


def _interior(rng: np.random.Generator, shape: tuple[int, int]) -> F32:
    """Draw an interior out of focus: big soft shapes, now and then a lamp."""
    height, width = shape
    image = np.empty((height, width, 3), np.float32)
    image[:] = _colour(rng)
    for _ in range(int(rng.integers(4, 12))):
        low = rng.uniform(-0.2, 1.0, 2) * (width, height)
        size = rng.uniform(0.1, 0.7, 2) * (width, height)
        colour = _colour(rng).tolist()
        corner, other = low.astype(int).tolist(), (low + size).astype(int).tolist()
        cv2.rectangle(image, corner, other, colour, -1)
    for _ in range(int(rng.integers(0, 5))):
        centre = (rng.uniform(0, 1, 2) * (width, height)).astype(int).tolist()
        radius = int(rng.uniform(0.02, 0.06) * width)
        cv2.circle(image, centre, radius, (0.95, 0.85, 0.65), -1, cv2.LINE_AA)
    return blur(image, rng.uniform(0.03, 0.08) * width)


def _desk(rng: np.random.Generator, shape: tuple[int, int]) -> F32:
    height, width = shape
    colour = _colour(rng)
    lines = rng.standard_normal((height, width // 24 + 2), dtype=np.float32)
    lines = blur(lines, 1.0, 1.3)
    grain = resize(lines / lines.std(), width, height, smooth=True)
    if rng.random() < 0.5:
        grain = resize(np.ascontiguousarray(grain.T), width, height)
    desk: F32 = colour * np.clip(1 + np.float32(0.08) * grain, 0.5, 1.5)[..., None]
    return blur(desk, 0.8)

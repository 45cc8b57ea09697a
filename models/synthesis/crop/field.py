"""One smooth deformation field: where each pixel of a sample is in the layers.

Creases and texture share it (FlowPalm, CVPR 2026). A cubic B-spline over a few control points
contains all affine maps exactly, so a sample costs two matrix products.
"""

from functools import cache
from typing import Final

import numpy as np

from models.synthesis.anatomy import F32, F64
from models.synthesis.crop.identity import LAYER_PX, LAYER_REACH
from models.synthesis.crop.variation import Variation

CONTROL_POINTS: Final = 7
"""Control points per side: four spline spans over the crop."""

_EASE_MIDDLE: Final = -1.0
_EASE_SPREAD: Final = 0.6
"""Logarithm of a sample's share of the variation: most differ little, a few much."""


def draw_field(rng: np.random.Generator, variation: Variation, size_px: int) -> tuple[F32, F32]:
    """Return x and y of a sample in pixels of the layers, each shape (size_px, size_px)."""
    basis = spline_basis(size_px)
    scale = LAYER_PX / 2 / LAYER_REACH
    ease = np.exp(rng.normal(_EASE_MIDDLE, _EASE_SPREAD))
    ease *= 2.0 if rng.random() < variation.strong_share else 1.0
    points = _place(rng, variation, ease) + _bend(rng, variation, ease)
    points = points * scale + (LAYER_PX - 1) / 2
    x, y = ((basis @ points[..., i] @ basis.T).astype(np.float32) for i in (0, 1))
    return x, y


@cache
def spline_basis(size_px: int) -> F64:
    """Return control point weights per pixel, shape (size_px, CONTROL_POINTS)."""
    spans = CONTROL_POINTS - 3
    at = (np.arange(size_px) + 0.5) / size_px * spans
    span = np.minimum(at.astype(int), spans - 1)
    t = at - span
    weights = (
        np.stack(
            [(1 - t) ** 3, 3 * t**3 - 6 * t**2 + 4, -3 * t**3 + 3 * t**2 + 3 * t + 1, t**3]
        )
        / 6
    )
    basis = np.zeros((size_px, CONTROL_POINTS))
    for i in range(4):
        basis[np.arange(size_px), span + i] = weights[i]
    return basis


def _control_grid() -> F64:
    """Return control points, shape (rows, columns, 2): x, y, the crop is −1 to 1."""
    along = (np.arange(CONTROL_POINTS) - 1) / (CONTROL_POINTS - 3) * 2 - 1
    x, y = np.meshgrid(along, along)
    return np.stack([x, y], axis=2)


_CONTROL_GRID: Final = _control_grid()


def _place(rng: np.random.Generator, variation: Variation, ease: float) -> F64:
    v, z = variation, ease * rng.standard_normal(8)
    size = np.exp(v.zoom * z[0])
    stretch = np.exp(v.aspect * z[1])
    c, s = np.cos(v.turn_rad * z[2]) * size, np.sin(v.turn_rad * z[2]) * size
    linear = np.array([[c * stretch, -s + v.shear * z[3]], [s, c / stretch]])
    depth = 1 + _CONTROL_GRID @ (v.tilt * z[4:6])
    placed: F64 = _CONTROL_GRID @ linear.T / depth[..., None] + v.shift * z[6:8]
    return placed


def _bend(rng: np.random.Generator, variation: Variation, ease: float) -> F64:
    size = ease * variation.bend * rng.uniform(0.4, 1.6)
    return size * 1.6 * rng.standard_normal((CONTROL_POINTS, CONTROL_POINTS, 2))

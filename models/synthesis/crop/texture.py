"""Fine skin of one palm: networks of tiny creases and mottling, as images.

Real palms are full of stable, oriented structure; without it a network learns to ignore it.
Networks are zero sets of elongated, warped noise; mottling is band-pass noise.
"""

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from models.synthesis.anatomy import F32


def smooth_field(rng: np.random.Generator, size_px: int, cells: int) -> F32:
    """Return smooth noise of about unit deviation with so many cells across, square."""
    grid = rng.standard_normal((cells + 3, cells + 3), dtype=np.float32)
    return np.asarray(cv2.resize(grid, (size_px, size_px), interpolation=cv2.INTER_CUBIC))


def mottling(rng: np.random.Generator, size_px: int, weights: NDArray[np.float64]) -> F32:
    """Return band-pass noise, unit deviation; weights of blobs of about 3, 6, 12, 24 px."""
    total = np.zeros((size_px, size_px), np.float32)
    for weight, sigma in zip(weights, (1.1, 2.4, 4.8, 9.6), strict=True):
        noise = rng.standard_normal((size_px, size_px), dtype=np.float32)
        band = cv2.GaussianBlur(noise, (0, 0), sigma) - cv2.GaussianBlur(
            noise, (0, 0), 2 * sigma
        )
        total += np.float32(weight / band.std()) * band
    mottled: F32 = total / total.std()
    return mottled


@dataclass(frozen=True, slots=True)
class Weave:
    """Direction and size of a texture.

    Attributes:
        breadth_px: of its blobs, pixels of a layer.
        stretch: length of a blob in breadths.
        heading_rad: direction of the blobs.
        bend_px: how far the direction varies.
        line: breadth of a crease, as a share of the noise's deviation.
        strength: 0 to about 1.
    """

    breadth_px: float
    stretch: float
    heading_rad: float
    bend_px: float
    line: float
    strength: float


def veins(rng: np.random.Generator, size_px: int, weave: Weave) -> F32:
    """Return broad, long blobs of one direction, unit deviation: veins, tendons, folds."""
    field = _leaning_noise(rng, size_px, weave)
    veined: F32 = field / field.std()
    return veined


def crease_network(rng: np.random.Generator, size_px: int, weave: Weave) -> F32:
    """Return fine creases of one direction, 0 to 1: zero sets of elongated, warped noise."""
    field = _leaning_noise(rng, size_px, weave)
    network: F32 = np.exp(-np.square(field / np.float32(weave.line * field.std())))
    return network


def _leaning_noise(rng: np.random.Generator, size_px: int, weave: Weave) -> F32:
    """Return smooth noise, long in one direction, shape (size_px, size_px)."""
    cell, long_cell = weave.breadth_px, weave.breadth_px * weave.stretch
    rows, columns = int(1.5 * size_px / cell) + 8, int(1.5 * size_px / long_cell) + 8
    noise = cv2.GaussianBlur(
        rng.standard_normal((rows, columns), dtype=np.float32), (0, 0), 0.9
    )
    x, y = _grid(size_px)
    c, s = np.float32(np.cos(weave.heading_rad)), np.float32(np.sin(weave.heading_rad))
    bend = smooth_field(rng, size_px, 2) * np.float32(weave.bend_px)
    along = (c * x + s * y) * np.float32(1 / long_cell) + np.float32(columns / 2)
    across = (c * y - s * x + bend) * np.float32(1 / cell) + np.float32(rows / 2)
    field = cv2.remap(noise, along, across, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT)
    return np.asarray(field, np.float32)


@cache
def _grid(size_px: int) -> tuple[F32, F32]:
    """Pixel coordinates from the centre: x and y, each shape (size_px, size_px)."""
    y, x = np.mgrid[:size_px, :size_px].astype(np.float32) - np.float32(size_px / 2)
    return x, y

"""The fine skin of one palm: networks of tiny creases and mottling, each as an image.

After local normalisation a real palm is full of stable, oriented structure, and a drawing that
leaves it out teaches a network to look away from it. Networks are the zero sets of elongated,
warped noise in several directions; mottling is band-pass noise at three scales.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import cv2
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    F32 = NDArray[np.float32]


def smooth_field(rng: np.random.Generator, size_px: int, cells: int) -> F32:
    """Return smooth noise of about unit deviation with so many cells across, square."""
    grid = rng.standard_normal((cells + 3, cells + 3), dtype=np.float32)
    return np.asarray(cv2.resize(grid, (size_px, size_px), interpolation=cv2.INTER_CUBIC))


def mottling(rng: np.random.Generator, size_px: int, weights: NDArray[np.float64]) -> F32:
    """Return band-pass noise at as many scales as there are weights, unit deviation.

    Args:
        rng: the identity's own.
        size_px: side of the square.
        weights: shape (3,): of blobs of about 3, 6 and 12 pixels.
    """
    total = np.zeros((size_px, size_px), np.float32)
    for weight, sigma in zip(weights, (1.1, 2.4, 4.8), strict=True):
        noise = rng.standard_normal((size_px, size_px), dtype=np.float32)
        band = cv2.GaussianBlur(noise, (0, 0), sigma) - cv2.GaussianBlur(
            noise, (0, 0), 2 * sigma
        )
        total += np.float32(weight / band.std()) * band
    mottled: F32 = total / total.std()
    return mottled


def veins(rng: np.random.Generator, size_px: int) -> F32:
    """Return broad, long blobs that lean one way, unit deviation: veins, tendons and folds."""
    heading = rng.normal(np.pi / 2, 0.5) if rng.random() < 0.6 else rng.uniform(0, np.pi)
    cell, stretch = rng.uniform(4.0, 9.0), rng.uniform(2.0, 5.0)
    field = _leaning_noise(rng, size_px, (cell, stretch), heading)
    veined: F32 = field / field.std()
    return veined


def crease_network(
    rng: np.random.Generator, size_px: int, spacing_px: float, heading_rad: float
) -> F32:
    """Return fine creases of one direction, 0 to 1: zero sets of elongated, warped noise.

    Args:
        rng: the identity's own.
        size_px: side of the square.
        spacing_px: usual distance between neighbouring creases.
        heading_rad: their direction; it wanders over the square.
    """
    shape = (spacing_px / 2.2, rng.uniform(3.0, 7.0))
    field = _leaning_noise(rng, size_px, shape, heading_rad)
    breadth = rng.uniform(0.25, 0.5) * field.std()
    network: F32 = np.exp(-np.square(field / np.float32(breadth)))
    return network


def _leaning_noise(
    rng: np.random.Generator, size_px: int, shape: tuple[float, float], heading_rad: float
) -> F32:
    """Return smooth noise, long in one direction.

    Args:
        rng: the identity's own.
        size_px: side of the square.
        shape: breadth of a blob in pixels, and its length in breadths.
        heading_rad: the direction.
    """
    cell, stretch = shape
    rows, columns = int(1.5 * size_px / cell) + 8, int(1.5 * size_px / (cell * stretch)) + 8
    noise = cv2.GaussianBlur(
        rng.standard_normal((rows, columns), dtype=np.float32), (0, 0), 0.9
    )
    x, y = _grid(size_px)
    c, s = np.float32(np.cos(heading_rad)), np.float32(np.sin(heading_rad))
    bend = smooth_field(rng, size_px, 2) * np.float32(rng.uniform(1, 7))
    along = (c * x + s * y) * np.float32(1 / (cell * stretch)) + np.float32(columns / 2)
    across = (c * y - s * x + bend) * np.float32(1 / cell) + np.float32(rows / 2)
    field = cv2.remap(noise, along, across, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT)
    return np.asarray(field, np.float32)


@cache
def _grid(size_px: int) -> tuple[F32, F32]:
    """Pixel coordinates from the centre: x and y, each shape (size_px, size_px)."""
    y, x = np.mgrid[:size_px, :size_px].astype(np.float32) - np.float32(size_px / 2)
    return x, y

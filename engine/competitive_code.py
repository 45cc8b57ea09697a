"""The competitive code: for each cell of a region, which way its line runs.

Creases are dark lines. Six Gabor kernels look for one in six directions; the strongest answer
wins the cell. Only the direction is kept, so light and contrast hardly matter. Kong and Zhang
2004.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import cv2
import numpy as np

from engine.codes import pack_directions
from engine.parameters import (
    CODE_CELLS,
    CODE_DIRECTIONS,
    CODE_GAMMA,
    CODE_KERNEL_PX,
    CODE_NORM_FLOOR,
    CODE_NORM_SIGMA_PX,
    CODE_SIGMA_PX,
    CODE_WAVELENGTH_PX,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Plane = NDArray[np.float32]


def line_responses(pixels: NDArray[np.uint8]) -> Plane:
    """Return how much each pixel looks like a dark line of each direction.

    Args:
        pixels: a region, shape (size, size), uint8, grey.

    Returns:
        Shape (6, size, size), float32; the lower, the more of a line. Direction ``i`` is for
        lines that run at ``i`` × 30 degrees from the vertical, downwards to the left.
    """
    even = normalise(pixels)
    return np.stack(
        [
            cv2.filter2D(even, cv2.CV_32F, kernel, borderType=cv2.BORDER_REFLECT_101)
            for kernel in _kernels()
        ]
    )


def encode_lines(responses: Plane) -> NDArray[np.uint8]:
    """Return the packed competitive code, shape (384,), uint8, of ``line_responses``."""
    step = responses.shape[-1] // CODE_CELLS
    cells = responses[:, step // 2 :: step, step // 2 :: step]
    return pack_directions(cells.argmin(axis=0))


def normalise(pixels: NDArray[np.uint8]) -> Plane:
    """Even out a region's local mean and contrast.

    Returns:
        Shape as given, float32, mean about 0, standard deviation about 1 where there is any
        contrast to speak of.
    """
    grey = pixels.astype(np.float32)
    detail = grey - cv2.GaussianBlur(grey, (0, 0), CODE_NORM_SIGMA_PX)
    contrast = np.sqrt(cv2.GaussianBlur(detail * detail, (0, 0), CODE_NORM_SIGMA_PX))
    return np.asarray(detail / (contrast + np.float32(CODE_NORM_FLOOR)), np.float32)


@cache
def _kernels() -> tuple[Plane, ...]:
    """The Gabor kernels of all directions, without a mean."""
    angles = np.arange(CODE_DIRECTIONS) * np.pi / CODE_DIRECTIONS
    return tuple(_kernel(float(angle)) for angle in angles)


def _kernel(angle_rad: float) -> Plane:
    """The even Gabor kernel whose wave runs along an angle: its line stands across."""
    half = CODE_KERNEL_PX // 2
    y, x = np.mgrid[-half : half + 1, -half : half + 1].astype(np.float64)
    across = x * np.cos(angle_rad) + y * np.sin(angle_rad)
    along = -x * np.sin(angle_rad) + y * np.cos(angle_rad)
    envelope = np.exp(-(across**2 + (CODE_GAMMA * along) ** 2) / (2 * CODE_SIGMA_PX**2))
    wave = envelope * np.cos(2 * np.pi * across / CODE_WAVELENGTH_PX)
    return np.asarray(wave - envelope * (wave.sum() / envelope.sum()), np.float32)

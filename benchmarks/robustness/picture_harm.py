"""Makes pictures worse: light, motion, noise, cut edges, and the look of near infrared.

Pixels are uint8 of shape (height, width, 3), RGB; lengths are shares of the region's side.

Misplacement moves the region of interest, as a poor locator or another cropper would.
"""

from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.roi import region_square
from engine.types import PalmLandmarks

INNER_SHARE: Final = 5 / 7
"""Part of a crop's side that is its palm where regions are moved: the rest is the margin."""


@dataclass(frozen=True, slots=True)
class Square:
    """Centre, shape (2,), and side of a region of interest, pixels of the sample."""

    centre: NDArray[np.float64]
    side_px: float


def square_of(landmarks: PalmLandmarks) -> Square:
    """Return where the region of interest is. Raises ``PalmNotFound``."""
    corners, side_px = region_square(landmarks)
    return Square(corners.mean(axis=0).astype(np.float64), side_px)


def shifted(
    landmarks: PalmLandmarks, square: Square, share: float, rng: np.random.Generator
) -> PalmLandmarks:
    """Move the region by a share of its side, in any direction."""
    angle = rng.uniform(0, 2 * np.pi)
    step = share * square.side_px * np.array([np.cos(angle), np.sin(angle)])
    return _moved(landmarks, square, np.eye(2), step)


def turned(
    landmarks: PalmLandmarks, square: Square, degrees: float, rng: np.random.Generator
) -> PalmLandmarks:
    """Turn the region about its centre, to either side."""
    angle = np.deg2rad(degrees) * rng.choice((-1, 1))
    matrix = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return _moved(landmarks, square, matrix, np.zeros(2))


def resized(
    landmarks: PalmLandmarks, square: Square, share: float, rng: np.random.Generator
) -> PalmLandmarks:
    """Make the region's side larger or smaller by a share."""
    factor = 1 + share * rng.choice((-1, 1))
    return _moved(landmarks, square, factor * np.eye(2), np.zeros(2))


def inner(landmarks: PalmLandmarks, square: Square) -> PalmLandmarks:
    """Return landmarks of the inner part of a crop, so that there is a margin to move in."""
    return _moved(landmarks, square, INNER_SHARE * np.eye(2), np.zeros(2))


def _moved(
    landmarks: PalmLandmarks,
    square: Square,
    matrix: NDArray[np.float64],
    step: NDArray[np.float64],
) -> PalmLandmarks:
    points = (landmarks.points - square.centre) @ matrix.T + square.centre + step
    return replace(landmarks, points=points.astype(np.float32))


Pixels = NDArray[np.uint8]
Plane = NDArray[np.float32]

GAMMA: Final = 2.2
"""From grey levels to light, nearly as in sRGB."""

NOISE_AT: Final = 110.0
"""Grey level at which noise has the stated deviation."""

LINE_WIDTH: Final = 0.04
"""Gaussian, share of the side: what is finer is lines of the skin."""

VEIN_SPACING: Final = 0.12
VEIN_WIDTH: Final = 0.16
VEIN_DEPTH: Final = 0.22
"""Gaussian of the field whose zeros are veins, its value at their edge, and their darkness."""


def darkened(pixels: Pixels, stops: float) -> Pixels:
    """Halve the light for each stop."""
    return _lit(pixels, np.float32(2.0**-stops))


def brightened(pixels: Pixels, stops: float) -> Pixels:
    """Double the light for each stop; what is too bright is white."""
    return _lit(pixels, np.float32(2.0**stops))


def lit_from_a_side(
    pixels: Pixels, square: Square, stops: float, rng: np.random.Generator
) -> Pixels:
    """Let the light fall across the palm by so many stops from edge to edge."""
    angle = rng.uniform(0, 2 * np.pi)
    y, x = np.mgrid[: pixels.shape[0], : pixels.shape[1]].astype(np.float32)
    along = (x - square.centre[0]) * np.cos(angle) + (y - square.centre[1]) * np.sin(angle)
    fall = np.clip(along / square.side_px, -1, 1) * stops
    return _lit(pixels, np.exp2(-fall).astype(np.float32)[..., None])


def _lit(pixels: Pixels, light: Plane | np.float32) -> Pixels:
    seen = (pixels.astype(np.float32) / 255) ** np.float32(GAMMA) * light
    return _levels(np.float32(255) * np.asarray(seen, np.float32) ** np.float32(1 / GAMMA))


def streaked(pixels: Pixels, square: Square, share: float, rng: np.random.Generator) -> Pixels:
    """Move the palm by a share of its side while the shutter is open."""
    length = share * square.side_px
    angle = rng.uniform(0, np.pi)
    size = 2 * int(np.ceil(length / 2)) + 3
    kernel = np.zeros((size, size), np.float32)
    reach = 0.5 * length * np.array([np.cos(angle), np.sin(angle)])
    ends = [np.round((size // 2 + s * reach) * 16).astype(int).tolist() for s in (-1, 1)]
    cv2.line(kernel, ends[0], ends[1], 1.0, 1, cv2.LINE_AA, 4)
    return np.asarray(cv2.filter2D(pixels, -1, kernel / kernel.sum()), np.uint8)


def noisy(pixels: Pixels, levels: float, rng: np.random.Generator) -> Pixels:
    """Add a sensor's noise: Gaussian, growing with the root of the light."""
    light = np.sqrt(np.maximum(pixels.astype(np.float32), 8) / np.float32(NOISE_AT))
    noise = rng.standard_normal(pixels.shape, dtype=np.float32) * np.float32(levels)
    return _levels(pixels + noise * light)


def cut_off(pixels: Pixels, square: Square, share: float, rng: np.random.Generator) -> Pixels:
    """Cut the picture where its left, right or lower edge hides a share of the palm."""
    low, high = (square.centre + side * square.side_px / 2 for side in (-1, 1))
    hidden = share * square.side_px
    height, width = pixels.shape[:2]
    match rng.integers(3):
        case 0:
            kept = pixels[:, int(np.clip(low[0] + hidden, 0, width - 1)) :]
        case 1:
            kept = pixels[:, : int(np.clip(high[0] - hidden, 1, width))]
        case _:
            kept = pixels[: int(np.clip(high[1] - hidden, 1, height))]
    return np.ascontiguousarray(kept)


def covered(pixels: Pixels, share: float, rng: np.random.Generator) -> Pixels:
    """Blacken a share of a crop from its left, right or lower edge."""
    height, width = pixels.shape[:2]
    harmed = pixels.copy()
    match rng.integers(3):
        case 0:
            harmed[:, : round(share * width)] = 0
        case 1:
            harmed[:, width - round(share * width) :] = 0
        case _:
            harmed[height - round(share * height) :] = 0
    return harmed


def near_infrared(
    pixels: Pixels, square: Square, share: float, rng: np.random.Generator
) -> Pixels:
    """Fade lines of the skin and show veins, as near infrared does; grey. 1 is all of it."""
    grey = (0.7 * pixels[..., 0] + 0.3 * pixels[..., 1]).astype(np.float32)
    soft = _blurred(grey, LINE_WIDTH * square.side_px)
    lines = np.minimum(grey - soft, 0) * np.float32(1 - 0.7 * share)
    veins = np.float32(1) - np.float32(VEIN_DEPTH * share) * _veins(grey.shape, square, rng)
    seen = (soft + lines + np.maximum(grey - soft, 0) * np.float32(1 - 0.5 * share)) * veins
    return _levels(np.repeat(seen[..., None], 3, axis=2))


def _veins(shape: tuple[int, ...], square: Square, rng: np.random.Generator) -> Plane:
    """Return branching lines, 0 to 1: the zeros of a smooth random field."""
    noise = rng.standard_normal(shape, dtype=np.float32)
    field = _blurred(noise, VEIN_SPACING * square.side_px)
    field /= field.std() + np.float32(1e-9)
    return np.asarray(np.exp(-0.5 * np.square(field / np.float32(VEIN_WIDTH))), np.float32)


def _blurred(plane: Plane, sigma_px: float) -> Plane:
    return np.asarray(cv2.GaussianBlur(plane, (0, 0), sigma_px), np.float32)


def _levels(values: Plane) -> Pixels:
    return np.clip(np.rint(values), 0, 255).astype(np.uint8)

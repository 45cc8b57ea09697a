"""Moves the region of interest, as a poor locator or another cropper would."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.roi import cut_roi
from engine.types import PalmLandmarks, PalmSample

INNER_SHARE: Final = 5 / 7
"""Part of a crop's side that is its palm where regions are moved: the rest is the margin."""

_COARSE_PX: Final = 8
"""Side of a region that is cut for its corners only."""


@dataclass(frozen=True, slots=True)
class Square:
    """Centre, shape (2,), and side of a region of interest, pixels of the sample."""

    centre: NDArray[np.float64]
    side_px: float


def square_of(sample: PalmSample, landmarks: PalmLandmarks) -> Square:
    """Return where the region of interest is. Raises ``PalmNotFound``."""
    roi = cut_roi(sample, landmarks, size_px=_COARSE_PX)
    return Square(roi.corners.mean(axis=0).astype(np.float64), roi.scale_px)


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

"""The palm's colour, and the surroundings of the hand."""

from __future__ import annotations

from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.parameters import LOOK_CELLS, LOOK_REACH

Points = NDArray[np.floating[Any]]

PALM: Final = (0, 1, 5, 9, 13, 17)
"""Landmarks round the palm."""

_ANCHORS: Final = (0, 5, 17)


def palm_width(points: Points) -> float:
    """Return the distance of landmarks 5 and 17."""
    return float(np.hypot(*(points[5] - points[17])))


def palm_colour(pixels: NDArray[np.uint8], points: Points) -> NDArray[np.float32]:
    """Return the mean linear RGB of the palm, shape (3,), 0 to 1; NaN if nothing is seen."""
    shrink = max(1, round(palm_width(points) / 24))
    small = pixels[::shrink, ::shrink]
    at = points / shrink
    palm = _hull_mask(small.shape, at[list(PALM)])
    inner = cv2.erode(palm, np.ones((3, 3), np.uint8)) > 0
    if not inner.any():
        return np.full(3, np.nan, np.float32)
    return np.asarray(_LINEAR[small[inner]].mean(axis=0), np.float32)


def look_round(pixels: NDArray[np.uint8], points: Points) -> NDArray[np.float32]:
    """Return the hand's surroundings, in the palm's own frame: shape (cells²,), grey, 0 to 1.

    NaN where the hand is, or outside the picture. A background that is printed with the hand
    moves with it and stays the same.
    """
    wrist, index, little = points[list(_ANCHORS)].astype(np.float64)
    across = (little - index) / 1.0
    down = np.array([-across[1], across[0]])
    down *= np.sign(float(down @ (wrist - index))) or 1.0
    step = 2 * LOOK_REACH / LOOK_CELLS
    corner = (index + little) / 2 - LOOK_REACH * (across + 1.2 * down)
    to_picture = np.column_stack([step * across, step * down, corner])
    flags = cv2.INTER_AREA | cv2.WARP_INVERSE_MAP
    size = (LOOK_CELLS, LOOK_CELLS)
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
    blurred = cv2.blur(grey, (max(1, int(step * np.hypot(*across))),) * 2)
    look = cv2.warpAffine(blurred, to_picture, size, flags=flags).astype(np.float32) / 255
    seen = np.full(grey.shape, 255, np.uint8)
    hand = _hull_mask(grey.shape, points)
    reach = 2 * round(0.35 * float(np.hypot(*across))) + 1
    near = np.asarray(cv2.dilate(hand, np.ones((reach, reach), np.uint8)), np.uint8)
    hidden = cv2.warpAffine(seen - near * 255, to_picture, size, flags=flags) < 250
    return np.where(hidden, np.float32(np.nan), look).ravel()


def _hull_mask(shape: tuple[int, ...], points: Points) -> NDArray[np.uint8]:
    mask = np.zeros(shape[:2], np.uint8)
    hull = cv2.convexHull(np.clip(points, -4000, 4000).astype(np.int32))
    cv2.fillConvexPoly(mask, hull, 1)
    return mask


def _linear_levels() -> NDArray[np.float32]:
    """Return the linear light of each level, 0 to 1. IEC 61966-2-1."""
    level = np.arange(256) / 255
    low, high = level / 12.92, ((level + 0.055) / 1.055) ** 2.4
    return np.asarray(np.where(level <= 0.04045, low, high), np.float32)


_LINEAR: Final = _linear_levels()

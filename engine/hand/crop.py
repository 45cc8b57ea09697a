"""The upright square round a hand, for the landmark network.

Points count from the picture's corner: the first pixel covers 0 to 1. Outside is black.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import cv2
import numpy as np

from engine.parameters import (
    DETECTION_CROP_LIFT,
    DETECTION_CROP_SIDE,
    HAND_CROP_AGREEMENT,
    HAND_CROP_GRID,
    LANDMARK_CROP_LIFT,
    LANDMARK_CROP_POINTS,
    LANDMARK_CROP_SIDE,
    LANDMARK_INPUT_PX,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Points = NDArray[np.float64]

_WRIST, _INDEX, _MIDDLE, _RING = 0, 5, 9, 13


@dataclass(frozen=True, slots=True)
class HandCrop:
    """A rotated square: centre and side in pixels, clockwise angle from the picture's up."""

    x: float
    y: float
    side: float
    angle_rad: float

    @property
    def is_usable(self) -> bool:
        """Whether the square is finite and at least a pixel wide."""
        finite = all(map(math.isfinite, (self.x, self.y, self.side, self.angle_rad)))
        return finite and self.side >= 1.0

    def agrees_with(self, better: HandCrop) -> bool:
        """Whether the landmark network would read nearly the same in the better square."""
        shift, growth, turn_rad = HAND_CROP_AGREEMENT
        away = math.hypot(self.x - better.x, self.y - better.y)
        grown = abs(self.side - better.side)
        is_near = away <= shift * better.side and grown <= growth * better.side
        return is_near and math.cos(self.angle_rad - better.angle_rad) >= math.cos(turn_rad)


def crop_of_detection(size: Points, centre: Points, wrist: Points, knuckle: Points) -> HandCrop:
    """Return the square round a detected hand; all arrays have shape (2,), pixels."""
    side = float(size.max())
    return _shifted_crop(
        centre, DETECTION_CROP_LIFT * side, DETECTION_CROP_SIDE * side, wrist, knuckle
    )


def crop_of_landmarks(points: Points) -> HandCrop:
    """Return the square round landmarks, shape (21, 2), pixels of the picture."""
    knuckle = ((points[_INDEX] + points[_RING]) / 2 + points[_MIDDLE]) / 2
    turn = _rotation(_angle(points[_WRIST], knuckle))
    upright = points[list(LANDMARK_CROP_POINTS)] @ turn
    low, high = upright.min(axis=0), upright.max(axis=0)
    centre, height = turn @ ((low + high) / 2), float(high[1] - low[1])
    side = LANDMARK_CROP_SIDE * float((high - low).max())
    return _shifted_crop(centre, LANDMARK_CROP_LIFT * height, side, points[_WRIST], knuckle)


class PicturePyramid:
    """A picture, shape (height, width, 3), uint8, and its halves, each made once."""

    def __init__(self, pixels: NDArray[np.uint8]) -> None:
        self._levels = [pixels]

    def shrunk(self, shrink: int) -> tuple[NDArray[np.uint8], Points]:
        """Return the picture halved until another time would shrink it more than asked.

        With it come its pixels per original pixel, shape (2,): x, y.
        """
        halvings = max(shrink, 1).bit_length() - 1
        while len(self._levels) <= halvings:
            self._levels.append(_halved(self._levels[-1]))
        small, (height, width) = self._levels[halvings], self._levels[0].shape[:2]
        return small, np.array([small.shape[1] / width, small.shape[0] / height])


def cut_crop(picture: PicturePyramid, crop: HandCrop) -> NDArray[np.uint8]:
    """Cut a usable square, shape (224, 224, 3), uint8; averages before shrinking."""
    pixels, scale = picture.shrunk(int(crop.side // LANDMARK_INPUT_PX))
    to_picture = _pixel_map(crop, scale)
    square = (LANDMARK_INPUT_PX, LANDMARK_INPUT_PX)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(cv2.warpAffine(pixels, to_picture, square, flags=flags), np.uint8)


def _halved(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    size = tuple(max(side // 2, 1) for side in pixels.shape[1::-1])
    return np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)


def to_picture(points: Points, crop: HandCrop) -> Points:
    """Map points, shape (n, 2), from the square (0 to 224) to the picture."""
    offsets = (points / LANDMARK_INPUT_PX - 0.5) * crop.side
    return offsets @ _rotation(crop.angle_rad).T + (crop.x, crop.y)


def _shifted_crop(
    centre: Points, lift: float, side: float, wrist: Points, knuckle: Points
) -> HandCrop:
    """Return the square with the knuckle above the wrist, rounded to ``HAND_CROP_GRID``."""
    per_px, per_rad = HAND_CROP_GRID
    angle = _on_grid(_angle(wrist, knuckle), per_rad)
    x = float(centre[0]) + lift * math.sin(angle)
    y = float(centre[1]) - lift * math.cos(angle)
    return HandCrop(_on_grid(x, per_px), _on_grid(y, per_px), _on_grid(side, per_px), angle)


def _on_grid(value: float, parts: float) -> float:
    return math.floor(value * parts + 0.5) / parts if math.isfinite(value) else value


def _angle(wrist: Points, knuckle: Points) -> float:
    """Return the clockwise angle from up to the fingers, in (-pi, pi]."""
    dx, dy = (float(d) for d in knuckle - wrist)
    return math.atan2(dx, -dy)


def _rotation(angle_rad: float) -> Points:
    c, s = math.cos(angle_rad), math.sin(angle_rad)
    return np.array([[c, -s], [s, c]])


def _pixel_map(crop: HandCrop, scale: Points) -> Points:
    """Return the affine map, shape (2, 3), from the square to the reduced picture."""
    step = _rotation(crop.angle_rad) * (crop.side / LANDMARK_INPUT_PX)
    corner = to_picture(np.array([[0.5, 0.5]]), crop)[0]
    return np.column_stack([scale[:, None] * step, scale * corner - 0.5])

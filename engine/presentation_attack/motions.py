"""Measures finger poses in a way that moving or tilting a rigid copy does not change.

Landmarks are laid on those of the open hand by the affine map of the palm's bones: what is left
is what the fingers did. Never MediaPipe's z: it sees depth in a flat photo, too.

The palm's colour and the surroundings of the hand are measured here, too.
"""

from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.presentation_attack.parameters import LOOK_CELLS, LOOK_REACH

AnyPoints = NDArray[np.floating[Any]]

PALM: Final = (0, 1, 5, 9, 13, 17)
"""Landmarks round the palm."""

_ANCHORS: Final = (0, 5, 17)


def palm_width(points: AnyPoints) -> float:
    """Return the distance of landmarks 5 and 17."""
    return float(np.hypot(*(points[5] - points[17])))


def palm_colour(pixels: NDArray[np.uint8], points: AnyPoints) -> NDArray[np.float32]:
    """Return the mean linear RGB of the palm, shape (3,), 0 to 1; NaN if nothing is seen."""
    shrink = max(1, round(palm_width(points) / 24))
    small = pixels[::shrink, ::shrink]
    at = points / shrink
    palm = _hull_mask(small.shape, at[list(PALM)])
    inner = cv2.erode(palm, np.ones((3, 3), np.uint8)) > 0
    if not inner.any():
        return np.full(3, np.nan, np.float32)
    return np.asarray(_LINEAR[small[inner]].mean(axis=0), np.float32)


def look_round(pixels: NDArray[np.uint8], points: AnyPoints) -> NDArray[np.float32]:
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


def _hull_mask(shape: tuple[int, ...], points: AnyPoints) -> NDArray[np.uint8]:
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


Points = NDArray[np.float64]

_BONES: Final = (0, 5, 9, 13, 17)
_TIPS: Final = (8, 12, 16, 20)
_MIDDLES: Final = (6, 10, 14, 18)


@dataclass(frozen=True, slots=True)
class Change:
    """Changes of the fingers from the open hand, palm widths and degrees.

    Attributes:
        thumb: way of the thumb's tip towards the little finger.
        fan_deg: wider angle between index and little finger.
        gap: wider distance of the index' and the little finger's tips.
        reach: of the fingertips beyond their middle joints, seen from the wrist: mean; a fist
            has less than nothing.
        curl: by how much ``reach`` is less than the open hand's.
        residual: misfit of the best homography (RMS) of all landmarks: small for flat copies.
        middle: way of the palm's centre in the picture, rotated or not.
        growth: of the palm's width in the picture, as a factor.
    """

    thumb: float
    fan_deg: float
    gap: float
    reach: float
    curl: float
    residual: float
    middle: float
    growth: float


def change(opened: NDArray[np.float32], moved: NDArray[np.float32]) -> Change:
    """Measure the change between two sets of landmarks, shape (21, 2), pixels."""
    start, end = opened.astype(np.float64), moved.astype(np.float64)
    width = max(palm_width(opened), 1e-6)
    laid = _laid_on(end, start)
    along = (start[17] - start[5]) / width
    return Change(
        thumb=float((laid[4] - start[4]) @ along) / width,
        fan_deg=_fan_deg(laid) - _fan_deg(start),
        gap=_gap(laid, width) - _gap(start, width),
        reach=_reach(laid, width),
        curl=_reach(start, width) - _reach(laid, width),
        residual=homography_residual(start, end),
        middle=float(np.hypot(*(palm_centre(end) - palm_centre(start)))) / width,
        growth=palm_width(moved) / width,
    )


def palm_centre(points: NDArray[np.floating]) -> Points:
    """Return the mean of landmarks 0, 5 and 17, shape (2,)."""
    return np.asarray(points[[0, 5, 17]].mean(axis=0), np.float64)


def homography_residual(start: Points, end: Points) -> float:
    """Return the misfit (RMS) of the best homography, in palm widths of ``start``."""
    matrix = np.asarray(cv2.findHomography(end, start, 0)[0], np.float64)
    if matrix.ndim < 2:  # OpenCV found none
        return 0.0
    laid = cv2.perspectiveTransform(end[None], matrix)[0]
    misfit = float(np.sqrt(np.mean(np.sum((laid - start) ** 2, axis=1))))
    return misfit / max(palm_width(start.astype(np.float32)), 1e-6)


def _laid_on(points: Points, target: Points) -> Points:
    matrix = _affine(points, target)
    laid: Points = points @ matrix[:, :2].T + matrix[:, 2]
    return laid


def _affine(start: Points, end: Points) -> Points:
    """Return the map, shape (2, 3), of the palm's bones, least squares."""
    bones = list(_BONES)
    known = np.column_stack([start[bones], np.ones(len(bones))])
    solution = np.linalg.lstsq(known, end[bones], rcond=None)[0]
    return np.asarray(solution.T, np.float64)


def _fan_deg(points: Points) -> float:
    index, little = points[8] - points[5], points[20] - points[17]
    cross = index[0] * little[1] - index[1] * little[0]
    palm = points[17] - points[5]
    side = np.sign(palm[0] * (points[5] - points[0])[1] - palm[1] * (points[5] - points[0])[0])
    return float(np.degrees(np.arctan2(-side * cross, index @ little)))


def _gap(points: Points, width: float) -> float:
    return float(np.hypot(*(points[8] - points[20]))) / width


def _reach(points: Points, width: float) -> float:
    beyond = [
        np.hypot(*(points[tip] - points[0])) - np.hypot(*(points[middle] - points[0]))
        for tip, middle in zip(_TIPS, _MIDDLES, strict=True)
    ]
    return float(np.mean(beyond)) / width

"""A picture and its landmarks become the region of interest: pure geometry.

The mean palm is fitted to six landmarks by a similarity (Umeyama 1991, without reflection), and
the region is a square in the frame of the mean palm. Right hands are mirrored first, so that
both hands share one frame: index finger left, fingers up. The side is kept, because left and
right are never compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

from engine.errors import PalmNotFound
from engine.parameters import (
    ROI_FIT_LANDMARKS,
    ROI_FIT_WEIGHTS,
    ROI_HALF_WIDTH,
    ROI_MEAN_PALM,
    ROI_SIZE_PX,
    ROI_SMOOTHING,
    ROI_TOP,
)
from engine.types import Hand, PalmLandmarks, PalmRoi, PalmSample

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Points = NDArray[np.float64]

_SQUARE = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))


def cut_roi(
    sample: PalmSample, landmarks: PalmLandmarks, *, size_px: int = ROI_SIZE_PX
) -> PalmRoi:
    """Cut the palm's square out of a picture and turn it upright.

    What lies outside the picture is black; ``inside_share`` tells how much does not.

    Args:
        sample: the picture.
        landmarks: where its hand is.
        size_px: side of the result.

    Returns:
        The region, grey (ITU-R BT.601 luma).

    Raises:
        PalmNotFound: the landmarks are not finite, or all in one place.
    """
    palm = landmarks.points[list(ROI_FIT_LANDMARKS)].astype(np.float64)
    mirrored = palm * (_x_sign(landmarks.hand), 1.0)
    axes, origin = fit_mean_palm(mirrored, ROI_FIT_WEIGHTS)
    corners = _corners(axes, origin) * (_x_sign(landmarks.hand), 1.0)
    scale_px = 2 * ROI_HALF_WIDTH * float(np.hypot(*axes[:, 0]))
    return PalmRoi(
        pixels=_warp(sample.pixels, corners, size_px),
        hand=landmarks.hand,
        corners=corners.astype(np.float32),
        residual=_residual(mirrored),
        scale_px=scale_px,
        inside_share=_inside_share(corners, sample.pixels.shape[:2]),
    )


def fit_mean_palm(
    palm: Points, weights: tuple[float, ...] = (1.0,) * len(ROI_FIT_LANDMARKS)
) -> tuple[Points, Points]:
    """Fit the mean palm to six landmarks by turning, scaling and moving it, least squares.

    Args:
        palm: shape (6, 2), float64, pixels: the landmarks of ``ROI_FIT_LANDMARKS`` of a left
            hand, or of a mirrored right one.
        weights: how much each landmark counts.

    Returns:
        The linear part, shape (2, 2), whose columns are the axes of the mean palm in pixels,
        and its origin, shape (2,).

    Raises:
        PalmNotFound: the landmarks are not finite, or all in one place.
    """
    mean_palm, weight = np.array(ROI_MEAN_PALM), np.array(weights) / np.sum(weights)
    mean_centre, centre = weight @ mean_palm, weight @ palm
    x, y, w = mean_palm - mean_centre, palm - centre, weight[:, None]
    along = float(np.sum(w * x * y)) / float(np.sum(w * x * x))
    across = float(weight @ (x[:, 0] * y[:, 1] - x[:, 1] * y[:, 0])) / float(np.sum(w * x * x))
    if not 1.0 <= np.hypot(along, across) < np.inf:
        raise PalmNotFound("the landmarks span no palm")
    axes = np.array([[along, -across], [across, along]])
    return axes, centre - axes @ mean_centre


def _x_sign(hand: Hand) -> float:
    """Minus one mirrors a right hand into the frame of left hands, and back."""
    return -1.0 if hand is Hand.RIGHT else 1.0


def _corners(axes: Points, origin: Points) -> Points:
    """Corners of the region from the top-left clockwise, in the frame that was fitted."""
    square = np.array(_SQUARE) * (2 * ROI_HALF_WIDTH) + (-ROI_HALF_WIDTH, ROI_TOP)
    return square @ axes.T + origin


def _residual(palm: Points) -> float:
    """Root mean square misfit in units of the fitted distance of landmarks 5 and 17.

    All landmarks count alike: a bent wrist does not hide.
    """
    axes, origin = fit_mean_palm(palm)
    misfit = palm - (np.array(ROI_MEAN_PALM) @ axes.T + origin)
    return float(np.sqrt(np.mean(np.sum(misfit**2, axis=1))) / np.hypot(*axes[:, 0]))


def _warp(rgb: NDArray[np.uint8], corners: Points, size_px: int) -> NDArray[np.uint8]:
    """Resample the square between the corners: smoothed against aliasing, then bilinear."""
    step = float(np.hypot(*(corners[1] - corners[0]))) / size_px
    margin = int(np.ceil(3 * step)) + 2
    window, offset = _window(rgb, corners, margin)
    grey = cv2.cvtColor(window, cv2.COLOR_RGB2GRAY)
    if step > 2.0:
        grey = cv2.GaussianBlur(grey, (0, 0), ROI_SMOOTHING * step)
    to_sample = _pixel_map(corners - offset, size_px)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    warped = cv2.warpAffine(
        grey, to_sample, (size_px, size_px), flags=flags, borderMode=cv2.BORDER_CONSTANT
    )
    return np.asarray(warped, np.uint8)


def _window(
    rgb: NDArray[np.uint8], corners: Points, margin: int
) -> tuple[NDArray[np.uint8], Points]:
    """The part of the picture round the corners, and where it begins (x, y)."""
    height, width = rgb.shape[:2]
    low = np.clip(np.floor(corners.min(axis=0)) - margin, 0, (width - 1, height - 1))
    high = np.clip(np.ceil(corners.max(axis=0)) + margin, low + 1, (width, height))
    (left, top), (right, bottom) = low.astype(int), high.astype(int)
    return rgb[top:bottom, left:right], low


def _pixel_map(corners: Points, size_px: int) -> Points:
    """Affine map, shape (2, 3), from ROI pixels to sample pixels; both count from centres."""
    u, v = (corners[1] - corners[0]) / size_px, (corners[3] - corners[0]) / size_px
    first = corners[0] + (u + v) / 2 - 0.5
    return np.column_stack([u, v, first])


def _inside_share(corners: Points, shape: tuple[int, ...]) -> float:
    """Share of the region's area inside the picture."""
    height, width = shape
    inside = corners
    for axis, edge, sign in ((0, 0, 1), (0, width, -1), (1, 0, 1), (1, height, -1)):
        inside = _cut_off(inside, sign * (inside[:, axis] - edge))
    return float(np.clip(_area(inside) / _area(corners), 0.0, 1.0))


def _cut_off(polygon: Points, depths: Points) -> Points:
    """Keep the part of a convex polygon on one side of a line. Sutherland and Hodgman 1974.

    Args:
        polygon: shape (corners, 2).
        depths: shape (corners,): how far each corner lies on the side that is kept.
    """
    kept = []
    for corner in range(len(polygon)):
        before, depth_before, depth = polygon[corner - 1], depths[corner - 1], depths[corner]
        if (depth_before >= 0) != (depth >= 0):
            share = depth_before / (depth_before - depth)
            kept.append(before + share * (polygon[corner] - before))
        if depth >= 0:
            kept.append(polygon[corner])
    return np.array(kept, np.float64).reshape(-1, 2)


def _area(polygon: Points) -> float:
    """Area of a polygon, shape (corners, 2), pixels."""
    x, y = polygon.T
    return abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1))) / 2

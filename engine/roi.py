"""Cuts the region of interest out of a picture. Pure geometry.

A similarity without reflection fits the mean palm to six landmarks (Umeyama 1991). The region
is a square in its frame; right hands are mirrored. The shipped graph computes the same.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine import parameters as tuned
from engine.errors import PalmNotFound
from engine.types import Hand, PalmLandmarks, PalmRoi, PalmSample

Plane = NDArray[np.float32]
Points = NDArray[np.float64]

LANDMARK_COUNT: Final = 21
"""Landmarks of a hand."""

_SQUARE = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))


def cut_roi(
    sample: PalmSample, landmarks: PalmLandmarks, *, size_px: int = tuned.ROI_SIZE_PX
) -> PalmRoi:
    """Cut out the palm's square: upright, grey (ITU-R BT.601), black outside the picture.

    Raises ``PalmNotFound`` for landmarks that are not finite, or all in one place.
    """
    palm = landmarks.points[list(tuned.ROI_FIT_LANDMARKS)].astype(np.float64)
    mirrored = palm * (_x_sign(landmarks.hand), 1.0)
    axes, origin = fit_mean_palm(mirrored, tuned.ROI_FIT_WEIGHTS)
    corners = _corners(axes, origin) * (_x_sign(landmarks.hand), 1.0)
    scale_px = 2 * tuned.ROI_HALF_WIDTH * float(np.hypot(*axes[:, 0]))
    return PalmRoi(
        pixels=_sampled(sample.pixels, corners, size_px),
        hand=landmarks.hand,
        corners=corners.astype(np.float32),
        residual=misfit(mirrored)[1],
        scale_px=scale_px,
        inside_share=_inside_share(corners, size_px, sample.pixels.shape[:2]),
    )


def landmarks_on_square(shape: tuple[int, ...], hand: Hand) -> PalmLandmarks:
    """Place the mean palm on a crop, so that its region is the largest centred square."""
    height, width = shape[:2]
    unit = min(height, width) / (2 * tuned.ROI_HALF_WIDTH)
    palm = np.array(tuned.ROI_MEAN_PALM) * unit
    palm[:, 1] += height / 2 - (tuned.ROI_TOP + tuned.ROI_HALF_WIDTH) * unit
    palm[:, 0] = palm[:, 0] * _x_sign(hand) + width / 2
    points = np.repeat(palm.mean(axis=0, keepdims=True), LANDMARK_COUNT, axis=0)
    points[list(tuned.ROI_FIT_LANDMARKS)] = palm
    return PalmLandmarks(points.astype(np.float32), hand, 1.0)


def require_palm(landmarks: PalmLandmarks) -> None:
    """Raise ``PalmNotFound`` unless a region can be cut by these landmarks."""
    palm = landmarks.points[list(tuned.ROI_FIT_LANDMARKS)].astype(np.float64)
    fit_mean_palm(palm * (_x_sign(landmarks.hand), 1.0), tuned.ROI_FIT_WEIGHTS)


def fit_mean_palm(
    palm: Points, weights: tuple[float, ...] = (1.0,) * len(tuned.ROI_FIT_LANDMARKS)
) -> tuple[Points, Points]:
    """Fit the mean palm to six landmarks by a least-squares similarity.

    Args:
        palm: shape (6, 2), float64, pixels, of a left or mirrored hand.
        weights: of each landmark.

    Returns:
        The mean palm's axes, columns of a (2, 2) matrix, and its origin, pixels.

    Raises:
        PalmNotFound: not finite, or all in one place.
    """
    mean_palm, weight = np.array(tuned.ROI_MEAN_PALM), np.array(weights) / np.sum(weights)
    mean_centre, centre = weight @ mean_palm, weight @ palm
    x, y, w = mean_palm - mean_centre, palm - centre, weight[:, None]
    along = float(np.sum(w * x * y)) / float(np.sum(w * x * x))
    across = float(weight @ (x[:, 0] * y[:, 1] - x[:, 1] * y[:, 0])) / float(np.sum(w * x * x))
    if not 1.0 <= np.hypot(along, across) < np.inf:
        raise PalmNotFound("the landmarks span no palm")
    axes = np.array([[along, -across], [across, along]])
    return axes, centre - axes @ mean_centre


def misfit(palm: Points) -> tuple[float, float]:
    """Return a palm's width, pixels, and its misfit to the mean palm (RMS), in widths.

    All six landmarks, shape (6, 2), count alike: a bent wrist counts fully. Raises
    ``PalmNotFound``.
    """
    axes, origin = fit_mean_palm(palm)
    width = float(np.hypot(*axes[:, 0]))
    apart = palm - (np.array(tuned.ROI_MEAN_PALM) @ axes.T + origin)
    return width, float(np.sqrt(np.mean(np.sum(apart**2, axis=1)))) / width


def is_clipped(pixels: Plane) -> NDArray[np.bool_]:
    """Return which pixels are nearly black or white, shape as given."""
    low, high = tuned.CODE_BLIND_LEVELS
    return np.asarray((pixels <= low + 0.5) | (pixels >= high - 0.5))


def _x_sign(hand: Hand) -> float:
    return -1.0 if hand is Hand.RIGHT else 1.0


def _corners(axes: Points, origin: Points) -> Points:
    width = tuned.ROI_HALF_WIDTH
    square = np.array(_SQUARE) * (2 * width) + (-width, tuned.ROI_TOP)
    return square @ axes.T + origin


def _sampled(rgb: NDArray[np.uint8], corners: Points, size_px: int) -> Plane:
    """Resample the square: each pixel is the mean of a grid of points."""
    spacing = float(np.hypot(*(corners[1] - corners[0]))) / size_px / tuned.ROI_SAMPLING_PX
    density = int(np.clip(np.ceil(spacing), 1, tuned.ROI_MAX_DENSITY))
    parts = (np.arange(density) + 0.5) / density
    low, window = _window(rgb, corners)
    grey = window.astype(np.float32) @ np.array(tuned.ROI_LUMA, np.float32)
    total = np.zeros((size_px, size_px), np.float64)
    for down in parts:
        for across in parts:
            total += _interpolated(grey, _places(corners - low, size_px, across, down))
    return (total / density**2).astype(np.float32)


def _places(corners: Points, size_px: int, across: float = 0.5, down: float = 0.5) -> Points:
    """Return one point in each pixel, shape (size, size, 2)."""
    u, v = (corners[1] - corners[0]) / size_px, (corners[3] - corners[0]) / size_px
    along = np.arange(size_px)[:, None]
    places = corners[0] + (along + across) * u + ((along + down) * v)[:, None]
    return np.asarray(places, np.float64)


def _interpolated(grey: Plane, places: Points) -> Points:
    """Interpolate bilinearly between pixel centres."""
    padded = np.pad(grey, 1)
    # Half a pixel to the pixel's centre, one pixel of padding.
    last = np.array(padded.shape)[::-1] - 1
    at = np.clip(places + 0.5, 0, last)
    first = np.minimum(at.astype(np.int64), last - 1)
    column, row = np.moveaxis(first, -1, 0)
    right, below = np.moveaxis(at - first, -1, 0)
    upper = padded[row, column] * (1 - right) + padded[row, column + 1] * right
    lower = padded[row + 1, column] * (1 - right) + padded[row + 1, column + 1] * right
    return np.asarray(upper * (1 - below) + lower * below, np.float64)


def _window(rgb: NDArray[np.uint8], corners: Points) -> tuple[Points, NDArray[np.uint8]]:
    height, width = rgb.shape[:2]
    low = np.clip(np.floor(corners.min(axis=0)) - 2, 0, (width - 1, height - 1))
    high = np.clip(np.ceil(corners.max(axis=0)) + 2, low + 1, (width, height))
    (left, top), (right, bottom) = low.astype(int), high.astype(int)
    return low, rgb[top:bottom, left:right]


def _inside_share(corners: Points, size_px: int, shape: tuple[int, ...]) -> float:
    places = _places(corners, size_px)
    inside = np.all((places >= 0) & (places <= shape[::-1]), axis=-1)
    return float(np.mean(inside))

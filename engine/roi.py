"""Where the region of interest is. Pure geometry.

A similarity without reflection fits the mean palm to six landmarks (Umeyama 1991). The region
is a square in its frame; right hands are mirrored. The shipped graph computes the same, and
cuts it out.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine import parameters as tuned
from engine.errors import PalmNotFound
from engine.types import Hand, PalmLandmarks

Plane = NDArray[np.float32]
Points = NDArray[np.float64]

LANDMARK_COUNT: Final = 21
"""Landmarks of a hand."""

_SQUARE = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))


def region_square(landmarks: PalmLandmarks) -> tuple[Plane, float]:
    """Return the region's corners, as of ``PalmRoi``, and its side, pixels of the sample.

    Raises ``PalmNotFound`` for landmarks that are not finite, or all in one place.
    """
    palm, flip = landmarks.points[list(tuned.ROI_FIT_LANDMARKS)], (_x_sign(landmarks.hand), 1.0)
    axes, origin = fit_mean_palm(palm.astype(np.float64) * flip, tuned.ROI_FIT_WEIGHTS)
    width = 2 * tuned.ROI_HALF_WIDTH
    square = np.array(_SQUARE) * width + (-tuned.ROI_HALF_WIDTH, tuned.ROI_TOP)
    corners = (square @ axes.T + origin) * flip
    return corners.astype(np.float32), width * float(np.hypot(*axes[:, 0]))


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


def _x_sign(hand: Hand) -> float:
    return -1.0 if hand is Hand.RIGHT else 1.0

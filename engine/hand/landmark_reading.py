"""Runs the landmark network on a hand: 21 points, is it a hand, which hand.

Each hand is read in the detector's crop; unless that lay well, again in the better crop of the
first landmarks.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from engine.errors import PalmNotFound
from engine.hand.crop import (
    crop_of_detection,
    crop_of_landmarks,
    cut_crop,
    to_picture,
)
from engine.hand.detector import network_input
from engine.parameters import (
    HAND_MAX_RESIDUAL,
    HAND_MIN_FIRST_PRESENCE,
    HAND_MIN_PRESENCE,
    ROI_FIT_LANDMARKS,
    ROI_MEAN_PALM,
)
from engine.roi import fit_mean_palm
from engine.types import Hand

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from engine.hand.crop import HandCrop, PicturePyramid
    from engine.hand.detector import DetectedHand, Network

    Points = NDArray[np.float64]

_WRIST, _INDEX, _LITTLE = 0, 5, 17
_THUMB = (1, 2, 3, 4)


@dataclass(frozen=True, slots=True)
class HandReading:
    """The last reading of a hand.

    Attributes:
        points: shape (21, 2), float64, pixels of the picture.
        presence: probability of a hand.
        right: probability of a right hand, by its appearance.
        thumb_lift: from ``thumb_lift``; positive for palms.
        width: distance of landmarks 5 and 17, pixels of the picture.
        residual: misfit to the mean palm (RMS), in that unit.
    """

    points: Points = field(repr=False)
    presence: float
    right: float
    thumb_lift: float
    width: float
    residual: float

    @property
    def palmar_side(self) -> Hand:
        """The hand, if it shows its palm."""
        return palmar_side(self.points)

    @property
    def palm_certainty(self) -> float:
        """Agreement of appearance and ``palmar_side``; near 0 the back is shown."""
        return self.right if self.palmar_side is Hand.RIGHT else 1.0 - self.right


@dataclass(frozen=True, slots=True)
class _NetworkOutput:
    points: Points
    presence: float
    right: float
    world: Points


def read_hands(
    network: Network, picture: PicturePyramid, detected: Sequence[DetectedHand]
) -> list[HandReading]:
    """Read the detected hands; drop those that are not open."""
    readings = []
    for hand in detected:
        crop = crop_of_detection(hand.size, hand.centre, hand.wrist, hand.knuckle)
        first = _run_network(network, picture, crop)
        if first.presence < HAND_MIN_FIRST_PRESENCE:
            continue
        reading = _reading_from(_settled(network, picture, crop, first))
        if reading.presence >= HAND_MIN_PRESENCE and reading.residual <= HAND_MAX_RESIDUAL:
            readings.append(reading)
    return readings


def follow_hand(network: Network, picture: PicturePyramid, points: Points) -> HandReading:
    """Read a hand near its landmarks in the frame before; it may be closed.

    ``points`` has shape (21, 2), pixels of the picture.
    """
    crop = crop_of_landmarks(points.astype(np.float64))
    first = _run_network(network, picture, crop)
    return _reading_from(_settled(network, picture, crop, first))


def palmar_side(points: Points) -> Hand:
    """Return which hand it is if it shows its palm, by the place of the little finger."""
    across, down = points[_LITTLE] - points[_INDEX], points[_WRIST] - points[_INDEX]
    cross = across[0] * down[1] - across[1] * down[0]
    return Hand.RIGHT if cross < 0 else Hand.LEFT


def thumb_lift(world: Points) -> float:
    """Return how far the thumb lies in front of the palm's plane.

    Args:
        world: shape (21, 3), any unit, z away from the camera.

    Returns:
        In distances of landmarks 5 and 17; −∞ without a plane.
    """
    across, down = world[_LITTLE] - world[_INDEX], world[_WRIST] - world[_INDEX]
    normal = np.cross(across, down)
    size = float(np.linalg.norm(normal) * np.linalg.norm(across))
    if not size > 0.0:
        return -np.inf
    towards_camera = -1.0 if normal[2] > 0 else 1.0
    depth = (world[list(_THUMB)] - world[_INDEX]) @ normal
    return towards_camera * float(depth.mean()) / size


def _run_network(network: Network, picture: PicturePyramid, crop: HandCrop) -> _NetworkOutput:
    if not crop.is_usable:
        return _NetworkOutput(np.zeros((21, 2)), 0.0, 0.5, np.zeros((21, 3)))
    outputs = network.run({"picture": network_input(cut_crop(picture, crop))})
    points = outputs["landmarks"].astype(np.float64).reshape(21, 3)[:, :2]
    return _NetworkOutput(
        points=to_picture(points, crop),
        presence=float(outputs["presence"][0, 0]),
        right=float(outputs["handedness"][0, 0]),
        world=outputs["world_landmarks"].astype(np.float64).reshape(21, 3),
    )


def _settled(
    network: Network, picture: PicturePyramid, crop: HandCrop, first: _NetworkOutput
) -> _NetworkOutput:
    """Read again in the crop of the first landmarks, unless the first crop agrees with it."""
    better = crop_of_landmarks(first.points)
    return first if crop.agrees_with(better) else _run_network(network, picture, better)


def _reading_from(answer: _NetworkOutput) -> HandReading:
    width, residual = _fit_palm(answer.points)
    lift = thumb_lift(answer.world)
    return HandReading(answer.points, answer.presence, answer.right, lift, width, residual)


def _fit_palm(points: Points) -> tuple[float, float]:
    """Return the palm's width and misfit; 0 and ∞ if the points span no palm."""
    flip = -1.0 if palmar_side(points) is Hand.RIGHT else 1.0
    palm = points[list(ROI_FIT_LANDMARKS)] * (flip, 1.0)
    try:
        axes, origin = fit_mean_palm(palm)
    except PalmNotFound:
        return 0.0, np.inf
    width = float(np.hypot(*axes[:, 0]))
    misfit = palm - (np.array(ROI_MEAN_PALM) @ axes.T + origin)
    return width, float(np.sqrt(np.mean(np.sum(misfit**2, axis=1)))) / width

"""Measures the landmarks of a hand: left or right, palm or back, width and flatness."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine.errors import PalmNotFound
from engine.hand.reading import Reading
from engine.parameters import ROI_FIT_LANDMARKS
from engine.roi import misfit
from engine.types import Hand

Points = NDArray[np.float64]

_WRIST, _INDEX, _LITTLE = 0, 5, 17
_THUMB = (1, 2, 3, 4)


@dataclass(frozen=True, slots=True)
class HandPose:
    """A hand that was read, measured.

    Attributes:
        points: shape (21, 2), float64, pixels of the picture.
        presence: probability of a hand.
        hand: the hand, if it shows its palm.
        palm_certainty: agreement of its appearance with ``hand``; near 0 the back is shown.
        thumb_lift: from ``thumb_lift``; positive for palms.
        width: distance of landmarks 5 and 17, pixels of the picture.
        residual: misfit to the mean palm (RMS), in that unit.
    """

    points: Points = field(repr=False)
    presence: float
    hand: Hand
    palm_certainty: float
    thumb_lift: float
    width: float
    residual: float


def poses_of(readings: Sequence[Reading]) -> list[HandPose]:
    """Measure the hands that were read."""
    return [_pose_of(reading) for reading in readings]


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


def _pose_of(reading: Reading) -> HandPose:
    hand = palmar_side(reading.points)
    certainty = reading.right if hand is Hand.RIGHT else 1.0 - reading.right
    lift = thumb_lift(reading.world)
    measures = hand, certainty, lift, *_size_and_misfit(reading.points, hand)
    return HandPose(reading.points, reading.presence, *measures)


def _size_and_misfit(points: Points, hand: Hand) -> tuple[float, float]:
    """Return the palm's width and misfit; 0 and ∞ if the points span no palm."""
    flip = -1.0 if hand is Hand.RIGHT else 1.0
    try:
        return misfit(points[list(ROI_FIT_LANDMARKS)] * (flip, 1.0))
    except PalmNotFound:
        return 0.0, np.inf

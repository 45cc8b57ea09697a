"""Runs the landmark network on squares round hands: 21 points, is it a hand, which hand.

A hand is read in the detector's square; unless that lay well, again in the better square of the
first landmarks. Points count from the picture's corner: the first pixel covers 0 to 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine import parameters as tuned
from engine.hand.detector import DetectedHand, Network, SearchedPicture, network_input

Points = NDArray[np.float64]

_WRIST, _INDEX, _MIDDLE, _RING_FINGER = 0, 5, 9, 13


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
        shift, growth, turn_rad = tuned.HAND_CROP_AGREEMENT
        away = math.hypot(self.x - better.x, self.y - better.y)
        grown = abs(self.side - better.side)
        is_near = away <= shift * better.side and grown <= growth * better.side
        return is_near and math.cos(self.angle_rad - better.angle_rad) >= math.cos(turn_rad)


@dataclass(frozen=True, slots=True)
class Reading:
    """The landmark network's output for a square.

    Attributes:
        points: shape (21, 2), float64, pixels of the picture.
        presence: probability of a hand.
        right: probability of a right hand, by its appearance.
        world: shape (21, 3), float64, metres, z away from the camera.
    """

    points: Points = field(repr=False)
    presence: float
    right: float
    world: Points = field(repr=False)


def read_hands(
    network: Network, picture: SearchedPicture, detected: Sequence[DetectedHand]
) -> list[Reading]:
    """Read the detected hands that are hands at the first reading."""
    readings = []
    for hand in detected:
        crop = crop_of_detection(hand.size, hand.centre, hand.wrist, hand.knuckle)
        first = _read(network, picture, crop)
        if first.presence >= tuned.HAND_MIN_FIRST_PRESENCE:
            readings.append(_settled(network, picture, crop, first))
    return readings


def follow_hand(network: Network, picture: SearchedPicture, points: Points) -> Reading:
    """Read a hand near its landmarks in the frame before; it may be closed.

    ``points`` has shape (21, 2), pixels of the picture.
    """
    crop = crop_of_landmarks(points.astype(np.float64))
    return _settled(network, picture, crop, _read(network, picture, crop))


def crop_of_detection(size: Points, centre: Points, wrist: Points, knuckle: Points) -> HandCrop:
    """Return the square round a detected hand; all arrays have shape (2,), pixels."""
    side = float(size.max())
    lift, larger = tuned.DETECTION_CROP_LIFT * side, tuned.DETECTION_CROP_SIDE * side
    return _shifted_crop(centre, lift, larger, wrist, knuckle)


def crop_of_landmarks(points: Points) -> HandCrop:
    """Return the square round landmarks, shape (21, 2), pixels of the picture."""
    knuckle = ((points[_INDEX] + points[_RING_FINGER]) / 2 + points[_MIDDLE]) / 2
    turn = _rotation(_angle(points[_WRIST], knuckle))
    upright = points[list(tuned.LANDMARK_CROP_POINTS)] @ turn
    low, high = upright.min(axis=0), upright.max(axis=0)
    centre, height = turn @ ((low + high) / 2), float(high[1] - low[1])
    side = tuned.LANDMARK_CROP_SIDE * float((high - low).max())
    lift = tuned.LANDMARK_CROP_LIFT * height
    return _shifted_crop(centre, lift, side, points[_WRIST], knuckle)


def cut_crop(picture: SearchedPicture, crop: HandCrop) -> NDArray[np.uint8]:
    """Cut a usable square, shape (224, 224, 3), uint8; averages before shrinking."""
    step = _rotation(crop.angle_rad) * (crop.side / tuned.LANDMARK_INPUT_PX)
    corner = to_picture(np.array([[0.5, 0.5]]), crop)[0]
    shrink = int(crop.side // tuned.LANDMARK_INPUT_PX)
    return picture.square(np.column_stack([step, corner]), shrink)


def to_picture(points: Points, crop: HandCrop) -> Points:
    """Map points, shape (n, 2), from the square (0 to 224) to the picture."""
    offsets = (points / tuned.LANDMARK_INPUT_PX - 0.5) * crop.side
    return offsets @ _rotation(crop.angle_rad).T + (crop.x, crop.y)


def _read(network: Network, picture: SearchedPicture, crop: HandCrop) -> Reading:
    if not crop.is_usable:
        return Reading(np.zeros((21, 2)), 0.0, 0.5, np.zeros((21, 3)))
    outputs = network.run({"picture": network_input(cut_crop(picture, crop))})
    points = outputs["landmarks"].astype(np.float64).reshape(21, 3)[:, :2]
    return Reading(
        points=to_picture(points, crop),
        presence=float(outputs["presence"][0, 0]),
        right=float(outputs["handedness"][0, 0]),
        world=outputs["world_landmarks"].astype(np.float64).reshape(21, 3),
    )


def _settled(
    network: Network, picture: SearchedPicture, crop: HandCrop, first: Reading
) -> Reading:
    """Read again in the crop of the first landmarks, unless the first crop agrees with it."""
    better = crop_of_landmarks(first.points)
    return first if crop.agrees_with(better) else _read(network, picture, better)


def _shifted_crop(
    centre: Points, lift: float, side: float, wrist: Points, knuckle: Points
) -> HandCrop:
    """Return the square with the knuckle above the wrist, rounded to ``HAND_CROP_GRID``."""
    per_px, per_rad = tuned.HAND_CROP_GRID
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

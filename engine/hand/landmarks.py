"""Locates 21 landmarks of one palm in a sample.

The detector knows photos of whole hands in colour. So grey pictures are tinted and borders
added, in several attempts, until a palm is convincing.

Refuses backs of hands: the knuckles' order must agree with the hand that the network sees, and
the thumb must not lie behind the palm. Clients must not flip pictures: a flipped palm looks
like the other hand's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

from engine.errors import BackOfHand, FailureToAcquire, PalmNotFound
from engine.hand.crop import PicturePyramid
from engine.hand.detector import detect_hands
from engine.hand.landmark_reading import follow_hand, read_hands
from engine.parameters import (
    HAND_BORDERS,
    HAND_CONVINCING_CERTAINTY,
    HAND_CONVINCING_RESIDUAL,
    HAND_CONVINCING_THUMB_LIFT,
    HAND_GREY_SAMPLING,
    HAND_GREY_SPREAD,
    HAND_HALVED_PX,
    HAND_LOOK_PX,
    HAND_MIN_FIRST_PRESENCE,
    HAND_MIN_PALM_CERTAINTY,
    HAND_MIN_THUMB_LIFT,
    HAND_MIN_WIDTH_PX,
    HAND_PICTURE_PX,
    HAND_TINT,
    HAND_TINT_CLIPPED_SHARE,
    HANDS_READ,
)
from engine.types import PalmLandmarks, PalmSample

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from engine.hand.detector import Network
    from engine.hand.landmark_reading import HandReading

    Pixels = NDArray[np.uint8]
    Points = NDArray[np.float64]


class LandmarkLocator:
    """Finds the palm of a sample with two networks of the manifest. Thread-safe."""

    def __init__(self, detector: Network, landmark_model: Network) -> None:
        self._detector = detector
        self._landmark_model = landmark_model

    def locate(self, sample: PalmSample) -> PalmLandmarks:
        """Return the landmarks of the palm; of several, the largest convincing one.

        Raises:
            PalmNotFound: no open hand, or too small a one.
            BackOfHand: the hand shows its back.
        """
        picture, scale = _search_picture(sample)
        uncertain: list[HandReading] = []
        for large in self._readings(picture, scale):
            convincing = [reading for reading in large if _is_convincing(reading)]
            if convincing:
                return _landmarks(max(convincing, key=_width), scale)
            uncertain += large
        return _landmarks(_most_certain(uncertain), scale)

    def locate_all(self, sample: PalmSample) -> list[PalmLandmarks]:
        """Return every convincing palm, largest first; else the likeliest; empty if none."""
        picture, scale = _search_picture(sample)
        uncertain: list[HandReading] = []
        for large in self._readings(picture, scale):
            convincing = [reading for reading in large if _is_convincing(reading)]
            if convincing:
                palms = sorted(convincing, key=_width, reverse=True)
                return [_landmarks(palm, scale) for palm in palms]
            uncertain += large
        try:
            return [_landmarks(_most_certain(uncertain), scale)]
        except FailureToAcquire:
            return []

    def follow(self, sample: PalmSample, points: NDArray[np.float32]) -> PalmLandmarks | None:
        """Read a hand near where it was, shape (21, 2), open or not; None if it is gone."""
        picture, scale = _search_picture(sample)
        reading = follow_hand(self._landmark_model, PicturePyramid(picture), points / scale)
        if reading.presence < HAND_MIN_FIRST_PRESENCE:
            return None
        return _landmarks(reading, scale)

    def _readings(self, picture: Pixels, scale: Points) -> Iterator[list[HandReading]]:
        """Yield the large enough hands of each attempt."""
        min_width = HAND_MIN_WIDTH_PX / float(scale.max())
        pyramid = PicturePyramid(picture)
        small, shrink = pyramid.shrunk(max(picture.shape) // HAND_LOOK_PX)
        for look, border in _attempts(small):
            detected = detect_hands(self._detector, look, border=border, scale=shrink)
            readings = read_hands(self._landmark_model, pyramid, detected[:HANDS_READ])
            yield [reading for reading in readings if reading.width >= min_width]


def _search_picture(sample: PalmSample) -> tuple[Pixels, Points]:
    """Return the picture to search, and the sample's pixels per pixel of it, shape (2,)."""
    picture = shrink_for_detection(sample.pixels)
    height, width = picture.shape[:2]
    full_height, full_width = sample.pixels.shape[:2]
    return picture, np.array([full_width / width, full_height / height])


def _landmarks(reading: HandReading, scale: Points) -> PalmLandmarks:
    return PalmLandmarks(
        points=(reading.points * scale).astype(np.float32),
        hand=reading.palmar_side,
        presence=reading.presence,
    )


def _width(reading: HandReading) -> float:
    return reading.width


def shrink_for_detection(pixels: Pixels) -> Pixels:
    """Return the picture small enough for several attempts."""
    height, width = pixels.shape[:2]
    shrink = HAND_PICTURE_PX / max(height, width)
    if shrink >= 1:
        return pixels
    if max(height, width) >= HAND_HALVED_PX:
        shrink = min(shrink, 0.5)
    size = (max(round(width * shrink), 1), max(round(height * shrink), 1))
    return np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)


def tinted(pixels: Pixels) -> Pixels:
    """Turn a picture grey, stretch its levels and give it skin colour."""
    grey = np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), np.uint8)
    low, high = _levels(grey)
    level = np.clip((np.arange(256) - low) / max(high - low, 1), 0, 1)
    tables = [(peak * level**gamma).round().astype(np.uint8) for peak, gamma in HAND_TINT]
    return np.asarray(cv2.merge([cv2.LUT(grey, table) for table in tables]), np.uint8)


def is_grey(pixels: Pixels) -> bool:
    """Return whether a picture has no colour."""
    some = pixels[::HAND_GREY_SAMPLING, ::HAND_GREY_SAMPLING].astype(np.int16)
    return 2 * float(np.abs(np.diff(some, axis=2)).mean()) <= HAND_GREY_SPREAD


def _attempts(picture: Pixels) -> Iterator[tuple[Pixels, float]]:
    """Yield pictures and borders, most promising first."""
    looks = (tinted, _unchanged) if is_grey(picture) else (_unchanged, tinted)
    for look in looks:
        shown = look(picture)
        yield from ((shown, border) for border in HAND_BORDERS)


def _unchanged(pixels: Pixels) -> Pixels:
    return pixels


def _is_convincing(reading: HandReading) -> bool:
    return (
        reading.palm_certainty >= HAND_CONVINCING_CERTAINTY
        and reading.thumb_lift >= HAND_CONVINCING_THUMB_LIFT
        and reading.residual <= HAND_CONVINCING_RESIDUAL
    )


def _most_certain(uncertain: list[HandReading]) -> HandReading:
    """Return the most likely palm, or raise ``PalmNotFound`` or ``BackOfHand``."""
    if not uncertain:
        raise PalmNotFound("no palm was found")
    possible = [
        reading
        for reading in uncertain
        if reading.palm_certainty >= HAND_MIN_PALM_CERTAINTY
        and reading.thumb_lift >= HAND_MIN_THUMB_LIFT
    ]
    if not possible:
        raise BackOfHand("the hand shows its back")
    return max(possible, key=lambda reading: reading.palm_certainty)


def _levels(grey: Pixels) -> tuple[int, int]:
    counts = cv2.calcHist([grey], [0], None, [256], [0, 256])
    total = np.cumsum(counts.ravel().astype(np.int64)) / grey.size
    low = int(np.searchsorted(total, HAND_TINT_CLIPPED_SHARE))
    return low, int(np.searchsorted(total, 1 - HAND_TINT_CLIPPED_SHARE))

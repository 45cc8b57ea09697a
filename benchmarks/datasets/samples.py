"""Pictures of a set → samples and landmarks, whatever their format and kind.

A crop has no hand to be located: the mean palm's landmarks are placed on it, so that the
region of interest is the crop's largest square. How tightly it was cropped is not known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from engine.decode import MAX_BYTES, decode_sample
from engine.errors import SampleUnreadable
from engine.parameters import ROI_FIT_LANDMARKS, ROI_HALF_WIDTH, ROI_MEAN_PALM, ROI_TOP
from engine.types import Hand, PalmLandmarks

if TYPE_CHECKING:
    from pathlib import Path

    from engine.types import PalmSample

SIDES: Final = {"l": Hand.LEFT, "r": Hand.RIGHT}
"""Sides of the body by the first letter that a manifest gives them."""

LANDMARK_COUNT: Final = 21


def side_of(hand: str) -> Hand | None:
    """Return the side that a manifest names, None if it names none."""
    return SIDES.get(hand[:1].lower())


def read_sample(path: Path) -> PalmSample:
    """Decode a picture as the service does; formats it does not take become PNG first.

    Raises:
        SampleTooLarge: more bytes or pixels than the service takes.
        SampleUnreadable: no picture.
    """
    data = path.read_bytes()
    try:
        return decode_sample(data)
    except SampleUnreadable:
        return decode_sample(_as_png(data))


def _as_png(data: bytes) -> bytes:
    """Write a picture of another format as PNG, without loss (16 bits become 8).

    Raises:
        SampleUnreadable: no picture.
    """
    pixels = None
    if len(data) <= MAX_BYTES:
        pixels = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    if pixels is None:
        raise SampleUnreadable("the file is no picture")
    done, png = cv2.imencode(".png", pixels)
    if not done:
        raise SampleUnreadable("the picture cannot be written as PNG")
    return bytes(png)


def landmarks_on_crop(sample: PalmSample, hand: Hand) -> PalmLandmarks:
    """Place the mean palm on a crop so that its region is the largest square, in the middle.

    Landmarks that nothing is fitted to lie in the middle of the others.
    """
    height, width = sample.pixels.shape[:2]
    unit = min(height, width) / (2 * ROI_HALF_WIDTH)
    palm = np.array(ROI_MEAN_PALM) * unit
    palm[:, 1] += height / 2 - (ROI_TOP + ROI_HALF_WIDTH) * unit
    palm[:, 0] = palm[:, 0] * (-1 if hand is Hand.RIGHT else 1) + width / 2
    points = np.repeat(palm.mean(axis=0, keepdims=True), LANDMARK_COUNT, axis=0)
    points[list(ROI_FIT_LANDMARKS)] = palm
    return PalmLandmarks(points.astype(np.float32), hand, 1.0)

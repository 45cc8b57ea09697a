"""Decode pictures of any format and give them landmarks.

A crop has no hand to locate: the mean palm's landmarks make its largest square the region of
interest.
"""

from pathlib import Path
from typing import Final

import cv2
import numpy as np

from benchmarks.datasets.manifest import Picture
from engine.decode import MAX_BYTES, decode_sample
from engine.errors import EngineError, QualityTooLow, SampleUnreadable
from engine.pipeline import PalmPipeline
from engine.roi import landmarks_on_square
from engine.types import Hand, PalmLandmarks, PalmSample

CROP: Final = "roi"
"""Kind of a picture that shows the region of interest alone."""

SIDES: Final = {"l": Hand.LEFT, "r": Hand.RIGHT}
"""Sides by the first letter in a manifest."""


def side_of(hand: str) -> Hand | None:
    """Return the side that a manifest gives, or None."""
    return SIDES.get(hand[:1].lower())


def read_sample(path: Path) -> PalmSample:
    """Decode a picture as the service does; convert other formats to PNG first.

    Raises:
        SampleTooLarge: more bytes or pixels than the service accepts.
        SampleUnreadable: no picture.
    """
    data = path.read_bytes()
    try:
        return decode_sample(data)
    except SampleUnreadable:
        return decode_sample(_as_png(data))


def _as_png(data: bytes) -> bytes:
    """Convert to PNG without loss (16 bits become 8).

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
    """Place the mean palm's landmarks on the largest centred square of a crop."""
    return landmarks_on_square(sample.pixels.shape, hand)


def located(pipeline: PalmPipeline, picture: Picture, sample: PalmSample) -> PalmLandmarks:
    """Return the landmarks of a hand, or those of a crop. Raises FailureToAcquire."""
    if picture.kind == CROP:
        return landmarks_on_crop(sample, side_of(picture.hand) or Hand.LEFT)
    return pipeline.locator.locate(sample)


def reason_of(fault: EngineError) -> str:
    """Return the error code, with the failed quality check."""
    if isinstance(fault, QualityTooLow):
        return f"{fault.code}: {fault.reason.value}"
    return fault.code

"""The page's corrections before it takes a picture of an open palm: place and light."""

from functools import cache
from typing import Final, NamedTuple

import numpy as np

from engine.errors import EngineError, QualityTooLow
from engine.pipeline import PalmPipeline, load_pipeline
from engine.presentation_attack.challenge import Outline
from engine.presentation_attack.motions import palm_centre, palm_width
from engine.settings import EngineSettings
from engine.types import PalmLandmarks, PalmSample, QualityReason
from models.synthesis.anatomy import U8

_OFF: Final = 0.035
_OFF_SIZE: Final = 0.09
"""How far the page lets the palm be from its outline, as in ``challenge_step.js``: share of the
frame, and of the palm's width."""


class Correction(NamedTuple):
    """A correction: where the palm has to be, or None, and whether it is too bright."""

    place: Outline | None = None
    is_too_bright: bool = False


def correction_of(asked: Outline, place: Outline, pixels: U8) -> Correction:
    """Return what the page says of a palm held at ``place``; nothing if it sees none.

    Args:
        asked: the outline that the page shows.
        place: where the person means to hold the palm.
        pixels: shape (height, width, 3), uint8, RGB.

    Raises:
        ModelFault: a hand network is missing.
    """
    sample = PalmSample(pixels)
    hands = engine_pipeline().locator.locate_all(sample)
    if not hands:
        return Correction()
    wanted = _moved_into(asked, place, hands[0], pixels)
    return Correction(wanted, wanted is None and _is_too_bright(sample, hands[0]))


def _moved_into(
    asked: Outline, place: Outline, hand: PalmLandmarks, pixels: U8
) -> Outline | None:
    """Return where the palm has to be, to be seen in its outline; None: it is."""
    height, width = pixels.shape[:2]
    x, y = palm_centre(hand.points) / (width, height)
    wider = palm_width(hand.points) / min(width, height) / asked.size
    if max(abs(x - asked.x), abs(y - asked.y)) <= _OFF and abs(wider - 1) <= _OFF_SIZE:
        return None
    size = place.size / float(np.clip(wider, 0.5, 2))
    return Outline(float(place.x - x + asked.x), float(place.y - y + asked.y), size)


def _is_too_bright(sample: PalmSample, hand: PalmLandmarks) -> bool:
    try:
        engine_pipeline().extractor.extract(sample, hand)
    except QualityTooLow as refusal:
        return refusal.reason is QualityReason.TOO_BRIGHT
    except EngineError:
        return False
    return False


@cache
def engine_pipeline() -> PalmPipeline:
    """Return the engine, loaded once. Raises ``ModelFault``."""
    return load_pipeline(EngineSettings())

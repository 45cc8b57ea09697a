"""How far from its outline the page sees an open palm, before it takes the picture."""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np

from engine.hand.landmarks import LandmarkLocator
from engine.networks.onnx_model import load_model
from engine.presentation_attack.challenge import Outline
from engine.presentation_attack.motions import palm_centre
from engine.presentation_attack.surroundings import palm_width
from engine.settings import EngineSettings
from engine.types import PalmSample
from models.synthesis.anatomy import U8

_OFF: Final = 0.035
_OFF_SIZE: Final = 0.09
"""How far the page lets the palm be from its outline, as in ``challenge_step.js``: share of the
frame, and of the palm's width."""


def moved_into(asked: Outline, place: Outline, pixels: U8) -> Outline | None:
    """Return where a palm at ``place`` has to be, to be seen where it is asked for.

    None: the page takes it as it is, or sees no palm.
    """
    hands = _locator().locate_all(PalmSample(pixels))
    if not hands:
        return None
    points = hands[0].points
    height, width = pixels.shape[:2]
    x, y = palm_centre(points) / (width, height)
    wider = palm_width(points) / min(width, height) / asked.size
    if max(abs(x - asked.x), abs(y - asked.y)) <= _OFF and abs(wider - 1) <= _OFF_SIZE:
        return None
    size = place.size / float(np.clip(wider, 0.5, 2))
    return Outline(float(place.x - x + asked.x), float(place.y - y + asked.y), size)


@cache
def _locator() -> LandmarkLocator:
    settings = EngineSettings()
    return LandmarkLocator(
        load_model("hand_detector", settings), load_model("hand_landmarks", settings)
    )

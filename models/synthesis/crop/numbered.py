"""Drawn palms by number."""

import numpy as np
from numpy.typing import NDArray

from models.synthesis.crop.identity import draw_identity
from models.synthesis.crop.style import SENSOR, STYLE_GROUP, draw_framing, draw_style


def draw_palm(seed: int, number: int, breadth: float = 1.0) -> NDArray[np.uint8]:
    """Draw a palm's layers; neighbours share a style group and a sensor."""
    framing = draw_framing(np.random.default_rng((seed, 0, number // SENSOR)), breadth)
    style = draw_style(np.random.default_rng((seed, 1, number // STYLE_GROUP)), framing)
    return draw_identity(style, np.random.default_rng((seed, 2, number)))

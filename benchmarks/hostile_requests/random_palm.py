"""A palm of nobody: a texture that gives plausible templates, another at each look."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from engine.extract import load_extractor
from engine.parameters import ROI_SIZE_PX
from engine.roi import landmarks_on_square
from engine.settings import EngineSettings
from engine.types import Hand, PalmSample

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.types import PalmTemplate

_RANDOM: Final = np.random.default_rng()

_GRAIN_PX: Final = 3.0
"""Gaussian of the noise: lines as wide as a palm's."""

_CONTRAST: Final = 40.0
"""Grey levels."""

_CHANGE: Final = 0.4
"""Share of the texture that differs from look to look."""


class RandomPalm:
    """A left palm, seen by the extractor that services run."""

    def __init__(self) -> None:
        self._extractor, self._texture = load_extractor(EngineSettings()), _texture()

    def sample(self) -> PalmTemplate:
        """Return the template of another look at it."""
        changed = self._texture + _CHANGE * _texture()
        grey = np.clip(128 + _CONTRAST * changed, 0, 255).astype(np.uint8)
        picture = PalmSample(np.repeat(grey[..., None], 3, axis=2))
        landmarks = landmarks_on_square(grey.shape, Hand.LEFT)
        return self._extractor.extract(picture, landmarks).template


def _texture() -> NDArray[np.float32]:
    noise = _RANDOM.standard_normal((ROI_SIZE_PX, ROI_SIZE_PX)).astype(np.float32)
    smooth = cv2.GaussianBlur(noise, (0, 0), _GRAIN_PX)
    return np.asarray(smooth / smooth.std(), np.float32)

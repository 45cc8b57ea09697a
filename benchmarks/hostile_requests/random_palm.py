"""A palm of nobody: a texture that gives plausible templates, another at each look."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from engine.features.reference_extractor import CLASSICAL_EXTRACTOR, ReferenceExtractor
from engine.parameters import ROI_SIZE_PX, TEMPLATE_SIZES
from engine.types import ExtractorId, Hand, PalmRoi, PalmTemplate

if TYPE_CHECKING:
    from numpy.typing import NDArray

_RANDOM: Final = np.random.default_rng()

_GRAIN_PX: Final = 3.0
"""Gaussian of the noise: lines as wide as a palm's."""

_CONTRAST: Final = 40.0
"""Grey levels."""

_CHANGE: Final = 0.4
"""Share of the texture that differs from look to look."""


class RandomPalm:
    """A left palm."""

    def __init__(self, extractor: str) -> None:
        self._extractor, self._texture = ExtractorId(extractor), _texture()

    def sample(self) -> PalmTemplate:
        """Return the template of another look at it; a network's vector is random."""
        changed = self._texture + _CHANGE * _texture()
        pixels = np.clip(128 + _CONTRAST * changed, 0, 255).astype(np.float32)
        roi = PalmRoi(pixels, Hand.LEFT, np.zeros((4, 2), np.float32), 0.0, ROI_SIZE_PX, 1.0)
        template = ReferenceExtractor().template_of(roi)
        if self._extractor == CLASSICAL_EXTRACTOR:
            return template
        vector = _RANDOM.standard_normal(TEMPLATE_SIZES[self._extractor][0])
        unit = (vector / np.linalg.norm(vector)).astype(np.float32)
        return replace(template, extractor=self._extractor, vector=unit)


def _texture() -> NDArray[np.float32]:
    noise = _RANDOM.standard_normal((ROI_SIZE_PX, ROI_SIZE_PX)).astype(np.float32)
    smooth = cv2.GaussianBlur(noise, (0, 0), _GRAIN_PX)
    return np.asarray(smooth / smooth.std(), np.float32)

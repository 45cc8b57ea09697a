"""Detects templates that no picture gives: a code with another's vector, or a patchwork.

A forger who mixes codes cell by cell mixes vectors as a whole. One who computes the vector from
the mixed code passes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

from engine.errors import FailureToAcquire
from engine.features.code_bytes import directions_of, seen_of
from engine.features.competitive_code import gabor_kernels
from engine.features.roughness import roughness_of
from engine.parameters import (
    CODE_CELLS,
    DRAWN_CONTRAST,
    PLAUSIBLE_AGREEMENT,
    PLAUSIBLE_ROUGHNESS,
    ROI_SIZE_PX,
)
from engine.roi import landmarks_on_square
from engine.types import Hand, PalmSample

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from engine.extract import Extractor
    from engine.types import PalmTemplate


def is_plausible(samples: Sequence[PalmTemplate], extractor: Extractor) -> bool:
    """Tell whether an extractor's templates of one palm look as if pictures gave them."""
    if any(roughness_of(sample.code) > PLAUSIBLE_ROUGHNESS for sample in samples):
        return False
    agreements = [vector_agreement(each, extractor) for each in samples]
    return float(np.mean(agreements)) >= PLAUSIBLE_AGREEMENT


def vector_agreement(template: PalmTemplate, extractor: Extractor) -> float:
    """Return the cosine of a vector and that of a picture of its code, for palms about 0.43.

    -1 if that picture gives no template.
    """
    picture = PalmSample(picture_of(template.code))
    # Codes and vectors of right hands are those of their mirror image.
    landmarks = landmarks_on_square(picture.pixels.shape[:2], Hand.LEFT)
    try:
        drawn = extractor.extract(picture, landmarks).template
    except FailureToAcquire:
        return -1.0
    return float(drawn.vector @ template.vector)


def picture_of(code: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Draw a line of equal strength in each cell of a code, shape (128, 128, 3), uint8."""
    directions, seen = directions_of(code), seen_of(code)
    step = ROI_SIZE_PX // CODE_CELLS
    drawn = np.zeros((ROI_SIZE_PX, ROI_SIZE_PX))
    for direction, kernel in enumerate(gabor_kernels()):
        cells = np.zeros_like(drawn)
        cells[step // 2 :: step, step // 2 :: step] = seen & (directions == direction)
        drawn += cv2.filter2D(cells, cv2.CV_64F, kernel, borderType=cv2.BORDER_CONSTANT)
    grey = 128 + DRAWN_CONTRAST * drawn / max(float(drawn.std()), np.finfo(float).eps)
    return np.repeat(np.clip(grey, 1, 254).astype(np.uint8)[..., None], 3, axis=2)

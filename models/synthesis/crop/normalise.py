"""The network's input: a crop with normalised local contrast; pixels outside do not count.

The exported graph does the same with average pooling.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    F32 = NDArray[np.float32]

NORMALISE_WINDOW_PX: Final = 17
"""Side of the window for means and deviations, of a crop of 112 pixels."""

NORMALISE_FLOOR: Final = 2.0
"""Added to the deviation, in grey levels, so that flat areas stay flat."""

NORMALISE_LIMIT: Final = 3.0
"""Results are clipped to ± this."""


def normalise(crop: NDArray[np.uint8] | F32) -> F32:
    """Normalise grey levels 0 to 255, shape (size, size), to float32, −3 to 3."""
    grey = crop.astype(np.float32)
    share = _share(grey.shape[0])
    flat = grey - _box_sum(grey) * share
    deviation = np.sqrt(np.maximum(_box_sum(flat * flat), 0) * share)
    normal = flat / (deviation + np.float32(NORMALISE_FLOOR))
    return np.clip(normal, -NORMALISE_LIMIT, NORMALISE_LIMIT).astype(np.float32)


def _box_sum(image: F32) -> F32:
    window = (NORMALISE_WINDOW_PX, NORMALISE_WINDOW_PX)
    summed = cv2.boxFilter(image, -1, window, normalize=False, borderType=cv2.BORDER_CONSTANT)
    return np.asarray(summed, np.float32)


@cache
def _share(size_px: int) -> F32:
    inside = _box_sum(np.ones((size_px, size_px), np.float32))
    return np.reciprocal(inside)

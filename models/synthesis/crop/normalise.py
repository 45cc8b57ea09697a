"""The network's input: a crop with its local contrast made even.

Written here in numpy for drawing and measuring; the exported graph does the same with average
pooling. Pixels outside the crop do not count.
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
"""Side of the window that means and deviations are taken over, of a crop of 112 pixels."""

NORMALISE_FLOOR: Final = 2.0
"""Added to the deviation, in grey levels: what is nearly even stays nearly even."""

NORMALISE_LIMIT: Final = 3.0
"""Results are clipped to plus and minus this."""


def normalise(crop: NDArray[np.uint8] | F32) -> F32:
    """Subtract the local mean and divide by the local deviation.

    Args:
        crop: shape (size, size), grey levels 0 to 255.

    Returns:
        Shape (size, size), float32, −3 to 3.
    """
    grey = crop.astype(np.float32)
    share = _share(grey.shape[0])
    flat = grey - _box_sum(grey) * share
    deviation = np.sqrt(np.maximum(_box_sum(flat * flat), 0) * share)
    normal = flat / (deviation + np.float32(NORMALISE_FLOOR))
    return np.clip(normal, -NORMALISE_LIMIT, NORMALISE_LIMIT).astype(np.float32)


def _box_sum(image: F32) -> F32:
    """Sum over the window round each pixel; what is outside the image is nought."""
    window = (NORMALISE_WINDOW_PX, NORMALISE_WINDOW_PX)
    summed = cv2.boxFilter(image, -1, window, normalize=False, borderType=cv2.BORDER_CONSTANT)
    return np.asarray(summed, np.float32)


@cache
def _share(size_px: int) -> F32:
    """One over the number of pixels of each window that lie inside."""
    inside = _box_sum(np.ones((size_px, size_px), np.float32))
    return np.reciprocal(inside)

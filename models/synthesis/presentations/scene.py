"""A scene before the camera: background, lamp, and the presented hand or picture."""

from typing import Final

import cv2
import numpy as np

from models.synthesis.anatomy import F32, F64, U8
from models.synthesis.background import draw_background
from models.synthesis.filters import streak
from models.synthesis.presentations.cameras import Camera, Shooting
from models.synthesis.presentations.lamps import Lamp, Lighting, draw_lighting
from models.synthesis.presentations.wander import Wander

_MARGIN: Final = 40
"""Background beyond the picture, for the sway of the phone. Pixels."""

WHOLE: Final = (slice(None), slice(None))
"""The window of a picture that is all of it: rows and columns."""


class Scene:
    """One session's background and camera."""

    def __init__(self, rng: np.random.Generator, camera: Camera, lamp: Lamp) -> None:
        self.camera = camera
        self.lighting: Lighting = draw_lighting(rng, lamp)
        width, height = camera.size_px
        self._background = draw_background(rng, (height + 2 * _MARGIN, width + 2 * _MARGIN))
        self._sway = Wander(rng, np.full(2, 0.006 * camera.short_px), 0.2, 1.5)
        self._shooting = Shooting(rng, camera)

    def background(self, time_s: float) -> F32:
        """Return the background, as the swaying phone sees it."""
        x, y = np.clip(self._sway.at(time_s), -_MARGIN + 1, _MARGIN - 1)
        height, width = self._background.shape[:2]
        middle = (0.5 * (width - 1) - float(x), 0.5 * (height - 1) - float(y))
        seen = cv2.getRectSubPix(self._background, self.camera.size_px, middle)
        return np.asarray(seen, dtype=np.float32)

    def take(self, light: F32) -> U8:
        """Take a picture of linear light."""
        return self._shooting.take(light)


def lay_over(
    image: F32, colour: F32, coverage: F32, window: tuple[slice, slice] = WHOLE
) -> F32:
    """Lay something over what an image shows in a window of it; returns the image."""
    behind = np.ascontiguousarray(image[window])
    image[window] = cv2.blendLinear(colour, behind, coverage, 1 - coverage)
    return image


def streaked(colour: F32, coverage: F32, moved_px: F64) -> tuple[F32, F32]:
    """Blur what moved by so many pixels, right and down, while the shutter was open."""
    length = float(np.linalg.norm(moved_px))
    if length < 0.7:
        return colour, coverage
    size = 2 * int(np.ceil(min(length, 40) / 2)) + 3
    kernel = streak(size, 0.5 * moved_px * min(1, 40 / length))
    seen = np.asarray(cv2.filter2D(coverage, -1, kernel), dtype=np.float32)
    lit = np.asarray(cv2.filter2D(colour * coverage[..., None], -1, kernel), dtype=np.float32)
    return (lit / np.maximum(seen, np.float32(1e-3))[..., None]).astype(np.float32), seen

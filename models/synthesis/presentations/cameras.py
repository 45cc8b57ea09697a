"""Cameras of phones and laptops: from linear light to the picture that a page sends.

Bona fide and attack go through the same chain: optics, Bayer pattern, noise, demosaicing,
noise reduction, sharpening, tone, JPEG.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from models.synthesis.anatomy import F32, U8
from models.synthesis.camera import encode_jpeg
from models.synthesis.filters import blur
from models.synthesis.skin import to_srgb


@dataclass(frozen=True, slots=True)
class Camera:
    """One sort of camera, as a web page reads it.

    Attributes:
        size_px: width and height.
        focal: focal length as a share of the long side.
        optics_px: blur of the lens, standard deviation in pixels of the picture, of which
            each joins several of the sensor.
        fill: share of a pixel's side that gathers light: 1 where sensor pixels are binned.
        noise: at middle grey, linear.
        denoise: strength of noise reduction, 0 to 1.
        sharpen: strength of sharpening.
        contrast: of the tone curve, 0 to 1.
        quality: of the JPEG, low and high.
        is_front: whether it looks where the screen shines.
        is_kept_out: from everything that is tuned.
    """

    name: str
    size_px: tuple[int, int]
    focal: float
    optics_px: float
    fill: float
    noise: float
    denoise: float
    sharpen: float
    contrast: float
    quality: tuple[int, int]
    is_front: bool = True
    is_kept_out: bool = False

    @property
    def short_px(self) -> int:
        """The shorter side."""
        return min(self.size_px)

    @property
    def blur_px(self) -> float:
        """The blur of what is drawn smooth: lens and size of the pixels."""
        return float(np.hypot(2 * self.optics_px, 0.3))

    @property
    def focal_px(self) -> float:
        """The focal length in pixels."""
        return self.focal * max(self.size_px)


CAMERAS: Final = (
    Camera("phone", (720, 960), 0.80, 0.15, 0.9, 0.010, 0.5, 0.5, 0.2, (86, 94)),
    Camera("small phone", (480, 640), 0.84, 0.12, 0.8, 0.014, 0.4, 0.4, 0.1, (82, 92)),
    Camera("laptop", (640, 480), 0.88, 0.22, 0.85, 0.018, 0.7, 0.7, 0.3, (84, 92)),
    Camera("wide phone", (540, 960), 0.72, 0.15, 0.9, 0.012, 0.6, 0.8, 0.3, (84, 94),
           is_kept_out=True),
    Camera("old phone", (480, 640), 0.86, 0.28, 0.7, 0.024, 0.8, 0.9, 0.2, (74, 86),
           is_kept_out=True),
    Camera("rear", (720, 960), 0.78, 0.12, 0.75, 0.006, 0.3, 0.3, 0.2, (88, 95),
           is_front=False, is_kept_out=True),
)  # fmt: skip
"""By eye, between phones of 2014 and 2024."""

_METERED: Final = 0.26
"""Linear light that automatic exposure gives the middle of the picture."""


class Shooting:
    """One camera during one session: its exposure and balance follow the light slowly."""

    def __init__(self, rng: np.random.Generator, camera: Camera) -> None:
        self.camera = camera
        self._rng = rng
        self._quality = int(rng.integers(*camera.quality))
        self._wanted = _METERED * float(np.exp(rng.normal(0, 0.12)))
        self._cast = np.array([rng.normal(1, 0.03), 1.0, rng.normal(1, 0.03)])
        self._greying = float(rng.uniform(0.3, 0.7))
        self._gain: F32 | None = None

    def take(self, light: F32) -> U8:
        """Take a picture of linear light, shape (height, width, 3). Returns RGB."""
        gain = self._follow(light)
        seen = _sensor(self._rng, light * gain[1], self.camera)
        seen *= gain / gain[1]
        picture = to_srgb(_toned(_processed(seen, self.camera), self.camera.contrast))
        levels = (picture * np.float32(255) + np.float32(0.5)).astype(np.uint8)
        packed = np.frombuffer(encode_jpeg(levels, self._quality), np.uint8)
        decoded = cv2.imdecode(packed, cv2.IMREAD_COLOR)
        return np.ascontiguousarray(np.asarray(decoded, dtype=np.uint8)[:, :, ::-1])

    def _follow(self, light: F32) -> F32:
        """Move exposure and balance towards what this light asks for; shape (3,)."""
        height, width = light.shape[:2]
        middle = light[height // 6 : -height // 6 : 4, width // 6 : -width // 6 : 4]
        mean = np.minimum(middle, 2.0).mean(axis=(0, 1)) + 1e-3
        exposure = np.clip((self._wanted / mean[1]) ** 0.85, 0.05, 20)
        wanted = exposure * self._cast * (mean[1] / mean) ** self._greying
        last = wanted if self._gain is None else self._gain
        self._gain = (last**0.5 * wanted**0.5).astype(np.float32)
        return self._gain


def _sensor(rng: np.random.Generator, light: F32, camera: Camera) -> F32:
    """Let the lens blur and a Bayer sensor see; returns demosaiced linear light."""
    seen = blur(light, camera.blur_px)
    mosaic = seen[..., 1].copy()
    mosaic[0::2, 0::2] = seen[0::2, 0::2, 0]
    mosaic[1::2, 1::2] = seen[1::2, 1::2, 2]
    grain = rng.standard_normal(mosaic.shape, dtype=np.float32) * np.float32(camera.noise)
    mosaic += grain * np.sqrt(np.maximum(mosaic, 0.01) * np.float32(1 / 0.2))
    raw = np.clip(mosaic * np.float32(32768), 0, 65535).astype(np.uint16)
    colour = cv2.cvtColor(raw, cv2.COLOR_BayerRG2RGB_EA)
    return np.asarray(colour, dtype=np.float32)[..., ::-1] * np.float32(1 / 32768)


def _processed(seen: F32, camera: Camera) -> F32:
    """Reduce noise, colour more than light, and sharpen."""
    light = seen @ np.array([0.3, 0.6, 0.1], np.float32)
    colour = blur(seen - light[..., None], 0.5 + 2.5 * camera.denoise)
    smooth = blur(light, 1.0)
    light += np.float32(0.6 * camera.denoise) * (smooth - light)
    light += np.float32(camera.sharpen) * (light - blur(light, 1.4))
    processed: F32 = np.maximum(light[..., None] + colour, 0)
    return processed


def _toned(light: F32, contrast: float) -> F32:
    """Bend the tone curve: highlights roll off."""
    bright = np.minimum(light, 1)
    curve = bright * bright * (3 - 2 * bright)
    toned: F32 = bright + np.float32(0.5 * contrast) * (curve - bright)
    return toned

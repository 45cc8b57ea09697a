"""A scene, its lamps, and the camera of a phone or laptop before it.

From linear light to the picture that a page sends: bona fide and attack go through the same
chain: optics, Bayer pattern, noise, demosaicing, noise reduction, sharpening, tone, JPEG. A
scene is background, lamp, and the presented hand or picture.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from models.synthesis.anatomy import F32, F64, U8
from models.synthesis.camera import draw_background, encode_jpeg
from models.synthesis.hand.identity import to_srgb
from models.synthesis.presentations.performance import Wander
from models.synthesis.render import Light, sample_light
from models.synthesis.texture import blur, streak


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
    is_kept_out: bool = False

    @property
    def short_px(self) -> int:
        """The shorter side of the picture."""
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
           is_kept_out=True),
)  # fmt: skip
"""By eye, between phones of 2014 and 2024."""

_METERED: Final = 0.26
"""Linear light that automatic exposure gives the middle of the picture."""

_WHITE: Final = 16383
"""Linear light 1 where the tone table reads it."""

_RAW_WHITE: Final = 32768
"""Linear light 1 on the sensor."""

_LUMA: Final = np.array([0.3, 0.6, 0.1])
"""Shares of red, green and blue in light."""

_Levels = NDArray[np.uint16]


def _sensor(rng: np.random.Generator, light: F32, gain: float, camera: Camera) -> _Levels:
    """Blur by the lens, sample by a Bayer sensor; return demosaiced RGB of ``_RAW_WHITE``."""
    seen = blur(light, camera.blur_px)
    mosaic = seen[..., 1] * np.float32(gain)
    mosaic[0::2, 0::2] = seen[0::2, 0::2, 0] * np.float32(gain)
    mosaic[1::2, 1::2] = seen[1::2, 1::2, 2] * np.float32(gain)
    grain = rng.standard_normal(mosaic.shape, dtype=np.float32)
    grain *= np.sqrt(np.maximum(mosaic, 0.01) * np.float32(1 / 0.2))
    mosaic += grain * np.float32(camera.noise)
    raw = np.clip(mosaic * np.float32(_RAW_WHITE), 0, 65535).astype(np.uint16)
    return np.asarray(cv2.cvtColor(raw, cv2.COLOR_BayerRG2BGR_EA), np.uint16)


def _processed(raw: _Levels, balance: F32, camera: Camera) -> list[_Levels]:
    """Reduce noise, colour more than light, and sharpen; returns planes of ``_WHITE``."""
    scaled = balance.astype(float) * (_WHITE / _RAW_WHITE)
    weights = _LUMA * scaled
    seen = raw.astype(np.float32)
    light = _sharpened(_mixed(seen, weights), camera)
    red, blue = (
        blur(_mixed(seen, scaled * only - weights), 0.5 + 2.5 * camera.denoise)
        for only in np.eye(3)[[0, 2]]
    )
    to_red, to_green, to_blue = _LUMA.tolist()
    green = cv2.addWeighted(red, -to_red / to_green, blue, -to_blue / to_green, 0)
    return [
        np.asarray(cv2.add(light, one, dtype=cv2.CV_16U), np.uint16)
        for one in (red, green, blue)
    ]


def _mixed(image: F32, weights: F64) -> F32:
    return np.asarray(cv2.transform(image, weights[None]), np.float32)


def _sharpened(light: F32, camera: Camera) -> F32:
    denoise, sharpen = 0.6 * camera.denoise, camera.sharpen
    smooth = cv2.addWeighted(light, 1 - denoise, blur(light, 1.0), denoise, 0)
    soft = blur(np.asarray(smooth, np.float32), 1.4)
    return np.asarray(cv2.addWeighted(smooth, 1 + sharpen, soft, -sharpen, 0), np.float32)


def _tones(contrast: float) -> U8:
    """Return the sRGB level of each level of light: a tone curve whose highlights roll off."""
    bright: F64 = np.minimum(np.arange(2**16) / _WHITE, 1)
    curve = bright * bright * (3 - 2 * bright)
    toned = (bright + 0.5 * contrast * (curve - bright)).astype(np.float32)
    return (to_srgb(toned) * np.float32(255) + np.float32(0.5)).astype(np.uint8)


@dataclass(frozen=True, slots=True)
class Lamp:
    """One sort of light in a scene.

    Attributes:
        lux: at the palm, low and high.
        ambient: share of light without direction, low and high.
        warmth: of its colour, low and high; 0 is neutral.
        is_kept_out: from everything that is tuned.
    """

    name: str
    lux: tuple[float, float]
    ambient: tuple[float, float]
    warmth: tuple[float, float]
    is_kept_out: bool = False


LAMPS: Final = (
    Lamp("ceiling", (150, 450), (0.40, 0.55), (-0.02, 0.06)),
    Lamp("window", (400, 2000), (0.35, 0.50), (-0.08, 0.0)),
    Lamp("desk", (250, 700), (0.25, 0.40), (0.02, 0.12)),
    Lamp("evening", (60, 160), (0.30, 0.50), (0.08, 0.20), is_kept_out=True),
    Lamp("office", (400, 900), (0.50, 0.65), (-0.04, 0.02), is_kept_out=True),
    Lamp("outdoors", (3000, 20000), (0.55, 0.70), (-0.10, 0.0), is_kept_out=True),
)

PALM_MM: Final = 62.0
"""Distance of landmarks 5 and 17: one palm unit."""

_DIMMED: Final = 0.6
"""Share of the light that stays after the page says that it is too bright."""


@dataclass(frozen=True, slots=True)
class Lighting:
    """The light of one session.

    ``shown`` is the share of its light that a screen gives which an attacker shows.
    """

    lamp: Light
    lux: float
    shown: float = 1.0

    def dimmed(self) -> Lighting:
        """Return this light as it is away from the lamp, or with a dimmed screen."""
        lamp = self.lamp
        darker = replace(lamp, key=_DIMMED * lamp.key, ambient=_DIMMED * lamp.ambient)
        return replace(self, lamp=darker, shown=_DIMMED * self.shown)


def draw_lighting(rng: np.random.Generator, lamp: Lamp) -> Lighting:
    """Draw one session's light."""
    ambient, warmth = rng.uniform(*lamp.ambient), rng.uniform(*lamp.warmth)
    tint: F64 = np.array([1 + warmth, 1.0, 1 - 1.3 * warmth])
    shot = replace(sample_light(rng), ambient=ambient, key=1.05 - ambient, tint=tint)
    return Lighting(shot, float(np.exp(rng.uniform(*np.log(lamp.lux)))))


_MARGIN: Final = 40
"""Background beyond the picture, for the sway of the phone. Pixels."""

WHOLE: Final = (slice(None), slice(None))
"""The window of a picture that is all of it: rows and columns."""


class Scene:
    """One session's background and camera, whose exposure and balance follow slowly."""

    def __init__(self, rng: np.random.Generator, camera: Camera, lamp: Lamp) -> None:
        self.camera = camera
        self.lighting: Lighting = draw_lighting(rng, lamp)
        width, height = camera.size_px
        self._background = draw_background(rng, (height + 2 * _MARGIN, width + 2 * _MARGIN))
        self._sway = Wander(rng, np.full(2, 0.006 * camera.short_px), 0.2, 1.5)
        self._rng, self._gain = rng, np.zeros(0, np.float32)
        self._quality = int(rng.integers(*camera.quality))
        self._wanted = _METERED * float(np.exp(rng.normal(0, 0.12)))
        self._cast = np.array([rng.normal(1, 0.03), 1.0, rng.normal(1, 0.03)])
        self._greying = float(rng.uniform(0.3, 0.7))
        self._tones = _tones(camera.contrast)

    def background(self, time_s: float) -> F32:
        """Return the background, as the swaying phone sees it."""
        x, y = np.clip(self._sway.at(time_s), -_MARGIN + 1, _MARGIN - 1)
        height, width = self._background.shape[:2]
        middle = (0.5 * (width - 1) - float(x), 0.5 * (height - 1) - float(y))
        seen = cv2.getRectSubPix(self._background, self.camera.size_px, middle)
        return np.asarray(seen, dtype=np.float32)

    def take(self, light: F32) -> U8:
        """Take a picture of linear light, shape (height, width, 3). Returns RGB."""
        gain = self._follow(light)
        raw = _sensor(self._rng, light, float(gain[1]), self.camera)
        planes = _processed(raw, gain / gain[1], self.camera)
        picture = cv2.merge([cv2.LUT(plane, self._tones) for plane in planes])
        packed = np.frombuffer(
            encode_jpeg(np.asarray(picture, np.uint8), self._quality), np.uint8
        )
        return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR_RGB), dtype=np.uint8)

    def _follow(self, light: F32) -> F32:
        """Move exposure and balance towards what this light asks for; shape (3,)."""
        height, width = light.shape[:2]
        middle = light[height // 6 : -height // 6 : 4, width // 6 : -width // 6 : 4]
        mean = np.minimum(middle, 2.0).mean(axis=(0, 1)) + 1e-3
        exposure = np.clip((self._wanted / mean[1]) ** 0.85, 0.05, 20)
        wanted = exposure * self._cast * (mean[1] / mean) ** self._greying
        last = self._gain if self._gain.size else wanted
        self._gain = (last**0.5 * wanted**0.5).astype(np.float32)
        return self._gain


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

"""Simulates a phone camera (exposure, blur, noise, colour, JPEG) and what lies behind the hand.

Backgrounds are blurred interiors, desks and walls, in linear RGB.
"""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from models.synthesis.anatomy import F32, F64, U8
from models.synthesis.hand.identity import to_linear, to_srgb
from models.synthesis.texture import blur, resize, smooth_noise, streak


@dataclass(frozen=True, slots=True)
class Camera:
    """Settings of one shot; noise at middle grey, linear; balance of red and blue."""

    exposure: float
    blur_px: float
    motion_px: float
    motion_rad: float
    noise: float
    quality: int
    balance: tuple[float, float]


def sample_camera(rng: np.random.Generator, size_px: int) -> Camera:
    """Draw a shot as a phone takes it in a lit interior; blur grows with the long side."""
    zoom = size_px / 720
    moved = rng.random() < 0.15
    return Camera(
        exposure=float(np.exp(rng.normal(0.0, 0.16))),
        blur_px=float(rng.uniform(0.3, 1.0)) * zoom,
        motion_px=float(rng.uniform(1.5, 4.0)) * zoom if moved else 0.0,
        motion_rad=float(rng.uniform(0, np.pi)),
        noise=float(rng.uniform(0.003, 0.014)),
        quality=int(rng.integers(80, 96)),
        balance=(float(rng.normal(1, 0.03)), float(rng.normal(1, 0.03))),
    )


def expose(rng: np.random.Generator, light: F32, camera: Camera) -> U8:
    """Take the picture: linear RGB, shape (height, width, 3), to uint8."""
    balance = np.array([camera.balance[0], 1.0, camera.balance[1]]) * camera.exposure
    seen = light * balance.astype(np.float32)
    seen = blur(seen, camera.blur_px)
    if camera.motion_px:
        angle, size = camera.motion_rad, 2 * int(np.ceil(camera.motion_px)) + 3
        reach = 0.5 * camera.motion_px * np.array([np.cos(angle), np.sin(angle)])
        seen = cv2.filter2D(seen, -1, streak(size, reach)).astype(np.float32)
    seen += _noise(rng, seen, camera.noise)
    return (to_srgb(seen) * np.float32(255) + np.float32(0.5)).astype(np.uint8)


def _noise(rng: np.random.Generator, light: F32, strength: float) -> F32:
    height, width = light.shape[:2]
    grey = rng.standard_normal((height, width, 1), dtype=np.float32)
    coarse = rng.standard_normal((height // 2 + 1, width // 2 + 1, 3), dtype=np.float32)
    colour = resize(coarse, width, height)
    grain = np.float32(0.8) * grey + np.float32(0.5) * colour
    return np.float32(strength) * grain * np.sqrt(np.maximum(light, 0.02) * np.float32(1 / 0.2))


def encode_jpeg(pixels: U8, quality: int) -> bytes:
    """Encode RGB pixels as JPEG."""
    flags = [cv2.IMWRITE_JPEG_QUALITY, quality]
    _, encoded = cv2.imencode(".jpg", cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR), flags)
    return encoded.tobytes()


def draw_background(rng: np.random.Generator, shape: tuple[int, int]) -> F32:
    """Draw a background, shape (rows, columns, 3), float32, linear, 0 to about 1."""
    scenes = (_wall, _interior, _interior, _desk)
    small = (shape[0] // 3 + 1, shape[1] // 3 + 1)
    scene = scenes[int(rng.integers(len(scenes)))](rng, small)
    scene *= _falloff(rng, small)[..., None]
    return np.maximum(resize(scene, shape[1], shape[0], smooth=True), 0)


_PALETTE: Final[F64] = np.array(
    [
        (222, 216, 206), (198, 188, 174), (168, 170, 172), (128, 132, 138), (92, 92, 94),
        (172, 146, 116), (128, 98, 72), (84, 64, 50), (116, 130, 146), (70, 84, 104),
        (132, 142, 124), (88, 104, 92), (168, 128, 112), (196, 176, 150), (52, 52, 58),
    ],
    dtype=np.float64,
)  # fmt: skip
"""Colours of interiors, sRGB: plaster, concrete, wood, cloth, leaves, brick."""


def _colour(rng: np.random.Generator) -> F32:
    """Return the colour of an object in the background, linear RGB, shape (3,)."""
    srgb = _PALETTE[int(rng.integers(len(_PALETTE)))] * np.exp(rng.normal(0, 0.12))
    return to_linear(np.clip(srgb + rng.normal(0, 5, 3), 4, 250)).astype(np.float32)


def _falloff(rng: np.random.Generator, shape: tuple[int, int]) -> F32:
    y, x = np.mgrid[-1 : 1 : shape[0] * 1j, -1 : 1 : shape[1] * 1j].astype(np.float32)
    angle = rng.uniform(0, 2 * np.pi)
    slope = np.float32(rng.uniform(0, 0.25))
    fall: F32 = 1 + slope * (np.float32(np.cos(angle)) * x + np.float32(np.sin(angle)) * y)
    return fall


def _wall(rng: np.random.Generator, shape: tuple[int, int]) -> F32:
    colour = _colour(rng)
    uneven = 1 + np.float32(0.03) * smooth_noise(rng, shape, 25)
    return colour * uneven[..., None]


def _interior(rng: np.random.Generator, shape: tuple[int, int]) -> F32:
    """Draw an interior out of focus: big soft shapes, now and then a lamp."""
    height, width = shape
    image = np.empty((height, width, 3), np.float32)
    image[:] = _colour(rng)
    for _ in range(int(rng.integers(4, 12))):
        low = rng.uniform(-0.2, 1.0, 2) * (width, height)
        size = rng.uniform(0.1, 0.7, 2) * (width, height)
        colour = _colour(rng).tolist()
        corner, other = low.astype(int).tolist(), (low + size).astype(int).tolist()
        cv2.rectangle(image, corner, other, colour, -1)
    for _ in range(int(rng.integers(0, 5))):
        centre = (rng.uniform(0, 1, 2) * (width, height)).astype(int).tolist()
        radius = int(rng.uniform(0.02, 0.06) * width)
        cv2.circle(image, centre, radius, (0.95, 0.85, 0.65), -1, cv2.LINE_AA)
    return blur(image, rng.uniform(0.03, 0.08) * width)


def _desk(rng: np.random.Generator, shape: tuple[int, int]) -> F32:
    height, width = shape
    colour = _colour(rng)
    lines = rng.standard_normal((height, width // 24 + 2), dtype=np.float32)
    lines = blur(lines, 1.0, 1.3)
    grain = resize(lines / lines.std(), width, height, smooth=True)
    if rng.random() < 0.5:
        grain = resize(np.ascontiguousarray(grain.T), width, height)
    desk: F32 = colour * np.clip(1 + np.float32(0.08) * grain, 0.5, 1.5)[..., None]
    return blur(desk, 0.8)

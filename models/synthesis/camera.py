"""Simulates a phone camera: exposure, blur, noise, colour, JPEG."""

from dataclasses import dataclass

import cv2
import numpy as np

from models.synthesis.anatomy import F32, U8
from models.synthesis.filters import blur, resize, streak
from models.synthesis.hand.skin import to_srgb


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

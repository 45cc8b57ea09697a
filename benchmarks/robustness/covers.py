"""Draws a thing on a palm: the same thing for everybody, loosely placed.

Things are drawn in the palm's own frame, take its light, and hide a share of its region.
"""

from collections.abc import Callable
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.parameters import ROI_LUMA
from engine.roi import region_square
from engine.types import PalmLandmarks, PalmSample

Plane = NDArray[np.float32]

OFFSET: Final = 0.07
TURN_DEG: Final = 8.0
SIZE: Final = 0.05
"""Largest misplacements to either side, the first and last as shares of the region's side."""

LIT_LEVEL: Final = 150.0
"""Mean grey level of a palm so bright that a thing on it shows its full colours."""

NOISE_LEVELS: Final = 1.5
"""Deviation of a thing's pixels: no camera shows a surface without noise."""

SHADOW: Final = 0.45
"""Light that is left in a shadow."""

_SIDE: Final = 256
_MARGIN: Final = 64
_CANVAS: Final = _SIDE + 2 * _MARGIN
"""Pixels of the region's side, of the surroundings that are drawn with it, and of both."""


def covered(
    kind: str, sample: PalmSample, landmarks: PalmLandmarks, share: float,
    rng: np.random.Generator,
) -> PalmSample:  # fmt: skip
    """Return a picture whose palm is covered by a share of its region."""
    corners, _ = region_square(landmarks)
    low, window = _window(sample.pixels, corners)
    colours, opacity = _THINGS[kind](share)
    placed = _placed(np.dstack([colours, opacity]), corners - low, window.shape[:2], rng)
    shown, opaque = placed[..., :3], placed[..., 3:]
    skin = window.astype(np.float32)
    grey = skin @ np.array(ROI_LUMA, np.float32)
    reach = max(3, round(_side_of(corners) / 2))
    light = np.minimum(cv2.blur(grey, (reach, reach)) / LIT_LEVEL, 1)[..., None]
    if np.array_equal(window[..., 0], window[..., 2]):
        shown = np.repeat((shown @ np.array(ROI_LUMA, np.float32))[..., None], 3, axis=2)
    noise = rng.standard_normal(grey.shape, dtype=np.float32)[..., None] * NOISE_LEVELS
    thing = skin * SHADOW if kind == "bar shadow" else shown * light + noise
    mixed = np.clip(np.rint(skin + (thing - skin) * opaque), 0, 255).astype(np.uint8)
    pixels = sample.pixels.copy()
    left, top = low.astype(int)
    pixels[top : top + mixed.shape[0], left : left + mixed.shape[1]] = mixed
    return PalmSample(pixels)


def _side_of(corners: Plane) -> float:
    return float(np.hypot(*(corners[1] - corners[0])))


def _window(pixels: NDArray[np.uint8], corners: Plane) -> tuple[Plane, NDArray[np.uint8]]:
    """Return the picture round a region, and its first corner: all that a thing may reach."""
    size = np.array(pixels.shape[1::-1])
    reach = _side_of(corners) / 2
    low = np.clip(np.floor(corners.min(axis=0) - reach), 0, size - 1).astype(int)
    high = np.clip(np.ceil(corners.max(axis=0) + reach), low + 1, size).astype(int)
    return low.astype(np.float32), pixels[low[1] : high[1], low[0] : high[0]]


def _placed(
    canvas: Plane, corners: Plane, shape: tuple[int, ...], rng: np.random.Generator
) -> Plane:
    """Lay a canvas on the region's corners in a picture, loosely."""
    middle = np.float32(_CANVAS / 2)
    turn = cv2.getRotationMatrix2D(
        (float(middle), float(middle)), rng.uniform(-TURN_DEG, TURN_DEG),
        1 + rng.uniform(-SIZE, SIZE),
    )  # fmt: skip
    turn[:, 2] = turn[:, 2] + rng.uniform(-OFFSET, OFFSET, 2) * _SIDE
    square = np.array([[0, 0], [1, 0], [0, 1]], np.float32) * _SIDE + _MARGIN
    onto = cv2.getAffineTransform(square, corners[[0, 1, 3]].astype(np.float32))
    whole = np.vstack([onto, (0, 0, 1)]) @ np.vstack([turn, (0, 0, 1)])
    # A lens and averaging: without, fine patterns would alias.
    pixel = _SIDE / _side_of(corners)
    soft = cv2.GaussianBlur(canvas, (0, 0), 0.6 * pixel)
    size = (shape[1], shape[0])
    return np.asarray(cv2.warpAffine(soft, whole[:2], size, flags=cv2.INTER_LINEAR), np.float32)


Thing = tuple[Plane, Plane]
"""Colours, shape (canvas, canvas, 3), RGB levels, and opacity, (canvas, canvas), 0 to 1."""


def _at() -> tuple[Plane, Plane]:
    """Return x and y of the canvas, in sides of the region."""
    along = (np.arange(_CANVAS, dtype=np.float32) + 0.5 - _MARGIN) / _SIDE
    x, y = np.meshgrid(along, along)
    return np.asarray(x, np.float32), np.asarray(y, np.float32)


def _strip(share: float) -> Plane:
    return np.asarray(np.abs(_at()[1] - 0.5) < share / 2, np.float32)


def _patch(share: float) -> Plane:
    x, y = _at()
    return np.asarray(np.maximum(np.abs(x - 0.5), np.abs(y - 0.5)) < share**0.5 / 2, np.float32)


def _two(pattern: NDArray[np.bool_], dark: tuple[int, ...], light: tuple[int, ...]) -> Plane:
    """Return a pattern in two colours."""
    both = np.array(dark, np.float32), np.array(light, np.float32)
    return np.asarray(np.where(pattern[..., None], *both), np.float32)


def _waves(period: float, turn_deg: float) -> Plane:
    """Return waves, −1 to 1; the period is a share of the side."""
    x, y = _at()
    angle = np.deg2rad(turn_deg)
    across = x * np.cos(angle) + y * np.sin(angle)
    return np.asarray(np.sin(2 * np.pi * across / period), np.float32)


def _plain(share: float) -> Thing:
    return _two(np.zeros((_CANVAS, _CANVAS), bool), (0, 0, 0), (222, 190, 160)), _strip(share)


def _gauze(share: float) -> Thing:
    threads = np.maximum(_waves(0.03, 3), _waves(0.035, 92)) > 0.2
    white = _two(threads, (236, 234, 228), (225, 222, 214))
    return white, _strip(share) * np.where(threads, np.float32(0.85), np.float32(0.4))


def _printed(share: float) -> Thing:
    noise = np.random.default_rng(1).standard_normal((_CANVAS, _CANVAS)).astype(np.float32)
    blobs = cv2.GaussianBlur(noise, (0, 0), 0.03 * _SIDE) > 0
    return _two(blobs, (40, 60, 120), (235, 232, 225)), _strip(share)


def _striped(share: float) -> Thing:
    return _two(_waves(0.11, 60) > 0, (150, 40, 50), (232, 230, 226)), _strip(share)


def _modules(share: float) -> Thing:
    """Draw a card of 25 × 25 black and white modules."""
    modules = np.random.default_rng(2).random((25, 25)) > 0.5
    x, y = _at()
    place = np.clip(((np.stack([y, x]) - 0.5) / share**0.5 + 0.5) * 25, 0, 24).astype(int)
    return _two(modules[place[0], place[1]], (25, 25, 25), (240, 240, 240)), _patch(share)


def _glove(share: float) -> Thing:
    knit = _waves(0.045, 35) * _waves(0.045, -35) > 0.1
    cuff = np.asarray(_at()[1] > 1 - share, np.float32)
    return _two(knit, (58, 66, 84), (92, 102, 124)), cuff


def _sticker(share: float) -> Thing:
    x, y = _at()
    radius = np.hypot(x - 0.5, y - 0.5) / np.sqrt(share / np.pi)
    circles = (radius * 3.5 % 1) < 0.45
    return _two(circles, (200, 40, 40), (245, 225, 90)), np.asarray(radius < 1, np.float32)


def _tape(share: float) -> Thing:
    return _two(_waves(0.025, 90) > 0, (205, 200, 190), (225, 221, 212)), _strip(share)


def _bars(share: float) -> Thing:
    """Draw three bars of shadow, their edges soft."""
    within = share / 6 - np.abs((_at()[1] + 1 / 3) % (1 / 3) - 1 / 6)
    return np.zeros((_CANVAS, _CANVAS, 3), np.float32), np.clip(within / 0.02 + 0.5, 0, 1)


def _text(share: float) -> Thing:
    label = np.zeros((_CANVAS, _CANVAS), np.uint8)
    for row, line in enumerate(range(-10, _CANVAS + 20, 20)):
        words = "VISITOR 0417 WARD B PLEASE WASH HANDS"[row % 5 :]
        cv2.putText(label, words, (4, line), cv2.FONT_HERSHEY_SIMPLEX, 0.55, 1, 2)
    return _two(label > 0, (30, 30, 40), (238, 238, 234)), _strip(share)


_THINGS: Final[dict[str, Callable[[float], Thing]]] = {
    "plain": _plain, "gauze": _gauze, "printed": _printed, "striped": _striped,
    "QR-like": _modules, "glove": _glove, "sticker": _sticker, "tape": _tape,
    "bar shadow": _bars, "text": _text,
}  # fmt: skip

COVERS: Final = tuple(_THINGS)
"""Kinds of things."""

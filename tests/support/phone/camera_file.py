"""A camera for Chromium, played from a video file.

Chromium loops a raw video (YUV4MPEG2), which is overwritten in place to change the picture.
"""

from collections.abc import Iterator
from functools import cache
from itertools import cycle, islice
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

Frame = NDArray[np.uint8]

WIDTH: Final = 640
HEIGHT: Final = 480

RATE: Final = 15

BACKGROUND: Final = (96, 104, 112)
"""RGB of a wall."""

MOST_TURNED_DEG: Final = 8
"""A degree a frame: slower than what the page calls moving."""

FARTHER, TILTED = 0.25, 0.08
"""Shares by which such a hand becomes smaller, and less high."""

ROUNDS: Final = 3

NOISE_LEVELS: Final = 4.0
"""Standard deviation of each channel, grey levels: a phone's camera indoors."""

_HEAD: Final = f"YUV4MPEG2 W{WIDTH} H{HEIGHT} F{RATE}:1 Ip A1:1 C420mpeg2\n".encode()

_MARK: Final = b"FRAME\n"


class CameraFile:
    """The video that Chromium plays."""

    def __init__(self, path: Path, length: int = 6) -> None:
        self._path, self._length = path, length
        path.write_bytes(b"")
        self.show(wall())

    @property
    def flags(self) -> list[str]:
        """Command-line flags for Chromium."""
        return [
            "--use-fake-device-for-media-stream",
            "--use-fake-ui-for-media-stream",
            f"--use-file-for-fake-video-capture={self._path}",
        ]

    def show(self, *frames: Frame) -> None:
        """Show frames in turn: each (480, 640, 3), uint8, RGB."""
        encode_frame = [_MARK + _planes(frame) for frame in frames]
        length = max(self._length, len(frames))
        with self._path.open("r+b") as file:
            file.write(_HEAD + b"".join(islice(cycle(encode_frame), length)))
            file.truncate()


def framed(
    picture: bytes,
    *,
    size: float = 0.96,
    x: float = 0.5,
    light: float = 1.0,
    shape: tuple[int, int] = (HEIGHT, WIDTH),
) -> Frame:
    """Return a frame with a picture of a hand in it.

    Args:
        picture: encoded file.
        size: its height in frame heights; less if it would be too wide.
        x: its centre in frame widths.
        light: factor for all levels.
        shape: height and width of the frame.

    Returns:
        Shape (height, width, 3), uint8, RGB.
    """
    decoded = cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_COLOR)
    if decoded is None:
        raise ValueError("no picture")
    height, width = shape
    scale = min(size * height / decoded.shape[0], size * width / decoded.shape[1])
    hand = cv2.resize(decoded, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    frame = wall(shape)
    top = (height - hand.shape[0]) // 2
    left = int(np.clip(x * width - hand.shape[1] / 2, 0, width - hand.shape[1]))
    frame[top : top + hand.shape[0], left : left + hand.shape[1]] = hand[..., ::-1]
    lit: Frame = np.clip(frame * light, 0, 255).astype(np.uint8)
    return lit


def moving(frame: Frame) -> list[Frame]:
    """Return six seconds of a hand that slowly turns, comes, goes and tilts, with noise.

    So it shows the views that an enrolment asks for, but for the fingers'. No hand is quite
    still, and no two frames of a camera are the same: a frame that comes back before an
    enrolment ends would be refused as a copy.
    """
    there = range(-MOST_TURNED_DEG, MOST_TURNED_DEG)
    turns = (*there, *(-each for each in there)) * ROUNDS
    turned = {turn: _turned(frame, turn) for turn in set(turns)}
    grains = _grains(frame, NOISE_LEVELS, len(turns))
    return [_with(turned[turn], each) for turn, each in zip(turns, grains, strict=True)]


def grainy(frame: Frame) -> list[Frame]:
    """Return two seconds of a still hand, each frame with another noise of the sensor."""
    return [_with(frame, grains) for grains in _grains(frame, 1, RATE)]


def _grains(frame: Frame, levels: float, count: int) -> Iterator[NDArray[np.int16]]:
    """Give the noise of several frames: one field, moved on by a pixel each time."""
    height, width = frame.shape[:2]
    field = _field(height, width + count, levels)
    return (field[:, at : at + width] for at in range(count))


@cache
def _field(height: int, width: int, levels: float) -> NDArray[np.int16]:
    drawn = np.random.default_rng(0).normal(0, levels, (height, width, 3))
    return np.asarray(drawn.round(), np.int16)


def _with(frame: Frame, grains: NDArray[np.int16]) -> Frame:
    return np.asarray(cv2.add(frame, grains, dtype=cv2.CV_8U), np.uint8)


def _turned(frame: Frame, degrees: float) -> Frame:
    height, width = frame.shape[:2]
    away = abs(degrees) / MOST_TURNED_DEG
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1.0 - FARTHER * away)
    squeezed = 1.0 - TILTED * (degrees + MOST_TURNED_DEG) / (2 * MOST_TURNED_DEG)
    turn[1] = squeezed * turn[1] + (0, 0, (1 - squeezed) * height / 2)
    turned = cv2.warpAffine(frame, turn, (width, height), borderValue=BACKGROUND)
    return np.asarray(turned, np.uint8)


def wall(shape: tuple[int, int] = (HEIGHT, WIDTH)) -> Frame:
    """Return a frame without a hand."""
    return np.full((*shape, 3), BACKGROUND, np.uint8)


def _planes(frame: Frame) -> bytes:
    return np.asarray(cv2.cvtColor(frame, cv2.COLOR_RGB2YUV_I420)).tobytes()

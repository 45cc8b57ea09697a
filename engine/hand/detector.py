"""Finds hands with the palm detection network (MediaPipe Hands).

In a square of 192 pixels it returns for each of 2016 anchors a logit, a box round the palm and
seven key points. Overlapping boxes are averaged (weighted non-maximum suppression).

Pictures are prepared here for both networks, the finder and the reader of a hand. The detector
knows photos of whole hands in colour, so grey pictures are tinted and borders are added, most
promising first. A picture is halved once for all that is cut from it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, Final, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from engine import parameters as tuned
from engine.types import PalmSample

Pixels = NDArray[np.uint8]
Points = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Look:
    """The detector's input: the picture, reduced, in the middle of a black square.

    Attributes:
        planes: shape (1, 3, 192, 192), float32, from ``network_input``.
        scale: pixels of the square per pixel of the picture, shape (2,): x, y.
        offset: of the picture's corner in the square, shape (2,), pixels.
    """

    planes: NDArray[np.float32]
    scale: Points
    offset: Points


class SearchedPicture:
    """A sample small enough for several attempts, and its halves, each made once.

    Attributes:
        scale: pixels of the sample per pixel of the picture, shape (2,): x, y.
        attempts: whether to tint and what border to add, most promising first.
    """

    def __init__(self, sample: PalmSample) -> None:
        pixels = shrink_for_detection(sample.pixels)
        self._levels = [pixels]
        self._tinted: Pixels | None = None
        size, full_size = pixels.shape[1::-1], sample.pixels.shape[1::-1]
        self.scale = np.array(full_size) / np.array(size)
        self._look_shrink = max(size) // tuned.HAND_LOOK_PX
        grey = is_grey(self.shrunk(self._look_shrink)[0])
        self.attempts = list(product((grey, not grey), tuned.HAND_BORDERS))

    def shrunk(self, shrink: int) -> tuple[Pixels, Points]:
        """Return the picture halved until another time would shrink it more than asked.

        With it come its pixels per original pixel, shape (2,): x, y.
        """
        halvings = max(shrink, 1).bit_length() - 1
        while len(self._levels) <= halvings:
            self._levels.append(_halved(self._levels[-1]))
        small, (height, width) = self._levels[halvings], self._levels[0].shape[:2]
        return small, np.array([small.shape[1] / width, small.shape[0] / height])

    def look(self, *, tint: bool, border: float) -> Look:
        """Return the detector's input for an attempt."""
        shown, scale = self.shrunk(self._look_shrink)
        if tint:
            self._tinted = tinted(shown) if self._tinted is None else self._tinted
            shown = self._tinted
        return letterboxed(shown, border, scale)

    def square(self, to_picture: Points, shrink: int) -> Pixels:
        """Cut a square, shape (224, 224, 3), uint8; outside is black.

        ``to_picture``, shape (2, 3), maps its pixels to the picture, which is averaged by
        ``shrink`` before.
        """
        pixels, scale = self.shrunk(shrink)
        to_pixels = scale[:, None] * to_picture
        to_pixels[:, 2] -= 0.5
        size = (tuned.LANDMARK_INPUT_PX, tuned.LANDMARK_INPUT_PX)
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        return np.asarray(cv2.warpAffine(pixels, to_pixels, size, flags=flags), np.uint8)


def shrink_for_detection(pixels: Pixels) -> Pixels:
    """Return the picture small enough for several attempts."""
    height, width = pixels.shape[:2]
    shrink = tuned.HAND_PICTURE_PX / max(height, width)
    if shrink >= 1:
        return pixels
    if max(height, width) >= tuned.HAND_HALVED_PX:
        shrink = min(shrink, 0.5)
    size = (max(round(width * shrink), 1), max(round(height * shrink), 1))
    return np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)


def network_input(square: Pixels) -> NDArray[np.float32]:
    """Return a square picture as float32, 0 to 1, shape (1, 3, n, n)."""
    planes = np.ascontiguousarray(square.transpose(2, 0, 1)[None])
    return np.multiply(planes, np.float32(1 / 255), dtype=np.float32)


def letterboxed(pixels: Pixels, border: float, reduction: Points) -> Look:
    """Shrink a picture into the middle of the detector's black square.

    Hands at the picture's edge need a border, in long sides. ``reduction``, shape (2,): pixels
    given per pixel of the picture.
    """
    height, width = pixels.shape[:2]
    side = tuned.DETECTOR_INPUT_PX
    scale = side / (max(height, width) * (1 + 2 * border))
    size = (max(round(width * scale), 1), max(round(height * scale), 1))
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    left, top = (side - size[0]) // 2, (side - size[1]) // 2
    square = np.zeros((side, side, 3), np.uint8)
    square[top : top + size[1], left : left + size[0]] = cv2.resize(
        pixels, size, interpolation=method
    )
    true_scale = np.array([size[0] / width, size[1] / height])
    return Look(
        network_input(square), true_scale * reduction, np.array([left, top], np.float64)
    )


def tinted(pixels: Pixels) -> Pixels:
    """Turn a picture grey, stretch its levels and give it skin colour."""
    grey = np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), np.uint8)
    low, high = _levels(grey)
    level = np.clip((np.arange(256) - low) / max(high - low, 1), 0, 1)
    tables = [(peak * level**gamma).round().astype(np.uint8) for peak, gamma in tuned.HAND_TINT]
    return np.asarray(cv2.merge([cv2.LUT(grey, table) for table in tables]), np.uint8)


def is_grey(pixels: Pixels) -> bool:
    """Return whether a picture has no colour."""
    some = pixels[:: tuned.HAND_GREY_SAMPLING, :: tuned.HAND_GREY_SAMPLING].astype(np.int16)
    return 2 * float(np.abs(np.diff(some, axis=2)).mean()) <= tuned.HAND_GREY_SPREAD


def _levels(grey: Pixels) -> tuple[int, int]:
    counts = cv2.calcHist([grey], [0], None, [256], [0, 256])
    total = np.cumsum(counts.ravel().astype(np.int64)) / grey.size
    low = int(np.searchsorted(total, tuned.HAND_TINT_CLIPPED_SHARE))
    return low, int(np.searchsorted(total, 1 - tuned.HAND_TINT_CLIPPED_SHARE))


def _halved(pixels: Pixels) -> Pixels:
    size = tuple(max(side // 2, 1) for side in pixels.shape[1::-1])
    return np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)


_WRIST, _MIDDLE_KNUCKLE = 0, 2
_LOGIT_LIMIT: Final = 100.0


class Network(Protocol):
    """A runnable network, such as ``engine.networks.onnx_model.OnnxModel``."""

    def run(self, inputs: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Return the outputs by name."""
        ...


@dataclass(frozen=True, slots=True)
class DetectedHand:
    """A detected hand: the box round its palm and two key points, shape (2,), pixels."""

    centre: Points
    size: Points
    wrist: Points
    knuckle: Points
    score: float


def detect_hands(detector: Network, look: Look) -> list[DetectedHand]:
    """Return the hands of a picture, highest score first, in its pixels."""
    outputs = detector.run({"picture": look.planes})
    rows, scores = decode_boxes(outputs["boxes"][0], outputs["logits"][0, :, 0])
    rows, scores = merge_overlapping(rows, scores)
    return [_in_picture(row, score, look) for row, score in zip(rows, scores, strict=True)]


def anchor_centres() -> Points:
    """Return the anchors' centres, shape (2016, 2), x fastest, as shares of the square."""
    grids = []
    for cells, per_cell in tuned.DETECTOR_GRIDS:
        middle = (np.arange(cells) + 0.5) / cells
        x, y = np.meshgrid(middle, middle)
        grids.append(np.repeat(np.column_stack([x.ravel(), y.ravel()]), per_cell, axis=0))
    return np.concatenate(grids)


_ANCHORS_PX: Final = anchor_centres() * tuned.DETECTOR_INPUT_PX


def decode_boxes(
    boxes: NDArray[np.float32], logits: NDArray[np.float32]
) -> tuple[Points, NDArray[np.float64]]:
    """Return the boxes above ``DETECTOR_MIN_SCORE``, in pixels of the square.

    Args:
        boxes: shape (2016, 18): centre, size, seven key points, relative to the anchor.
        logits: shape (2016,).

    Returns:
        Boxes, shape (n, 18), and scores, shape (n,).
    """
    scores = 1 / (1 + np.exp(-np.clip(logits.astype(np.float64), -_LOGIT_LIMIT, _LOGIT_LIMIT)))
    kept = np.flatnonzero(scores >= tuned.DETECTOR_MIN_SCORE)
    pairs = boxes[kept].astype(np.float64).reshape(-1, 9, 2)
    anchors = _ANCHORS_PX[kept]
    pairs[:, 0] += anchors
    pairs[:, 2:] += anchors[:, None]
    return pairs.reshape(-1, 18), scores[kept]


def merge_overlapping(
    rows: Points, scores: NDArray[np.float64]
) -> tuple[Points, NDArray[np.float64]]:
    """Average overlapping boxes by score, best first; a group keeps its best score."""
    order = np.argsort(-scores, kind="stable")
    rows, scores = rows[order], scores[order]
    merged, best = [np.empty((0, rows.shape[1]))], []
    while len(scores):
        group = _overlap(rows[0], rows) > tuned.DETECTOR_MAX_OVERLAP
        group[0] = True
        merged.append(np.average(rows[group], axis=0, weights=scores[group])[None])
        best.append(scores[0])
        rows, scores = rows[~group], scores[~group]
    return np.concatenate(merged), np.array(best)


def _overlap(row: Points, rows: Points) -> NDArray[np.float64]:
    """Return the intersection over union of one box with many."""
    low = np.maximum(row[:2] - row[2:4] / 2, rows[:, :2] - rows[:, 2:4] / 2)
    high = np.minimum(row[:2] + row[2:4] / 2, rows[:, :2] + rows[:, 2:4] / 2)
    common = np.clip(high - low, 0, None).prod(axis=1)
    union = np.abs(row[2:4].prod()) + np.abs(rows[:, 2:4].prod(axis=1)) - common
    return np.asarray(common / np.maximum(union, np.finfo(np.float64).tiny), np.float64)


def _in_picture(row: Points, score: float, look: Look) -> DetectedHand:
    pairs = row.reshape(9, 2)
    key_points = (pairs[2:] - look.offset) / look.scale
    return DetectedHand(
        centre=(pairs[0] - look.offset) / look.scale,
        size=np.abs(pairs[1] / look.scale),
        wrist=key_points[_WRIST],
        knuckle=key_points[_MIDDLE_KNUCKLE],
        score=float(score),
    )

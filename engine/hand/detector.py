"""Finds hands with the palm detection network (MediaPipe Hands).

In a square of 192 pixels it returns for each of 2016 anchors a logit, a box round the palm and
seven key points. Overlapping boxes are averaged (weighted non-maximum suppression).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

import cv2
import numpy as np

from engine.parameters import (
    DETECTOR_GRIDS,
    DETECTOR_INPUT_PX,
    DETECTOR_MAX_OVERLAP,
    DETECTOR_MIN_SCORE,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from numpy.typing import NDArray

    Points = NDArray[np.float64]

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


@dataclass(frozen=True, slots=True)
class Letterbox:
    """The picture's scale and offset in the detector's square, shape (2,)."""

    scale: Points
    offset: Points


def detect_hands(
    detector: Network, pixels: NDArray[np.uint8], *, border: float, scale: Points
) -> list[DetectedHand]:
    """Return the hands of a picture, highest score first.

    ``pixels``, shape (height, width, 3), may be reduced: ``scale``, shape (2,), are its pixels
    per pixel of the picture. Hands at the picture's edge need a black border, in long sides.
    """
    square, placed = letterboxed(pixels, border)
    letterbox = Letterbox(placed.scale * scale, placed.offset)
    outputs = detector.run({"picture": network_input(square)})
    rows, scores = decode_boxes(outputs["boxes"][0], outputs["logits"][0, :, 0])
    rows, scores = merge_overlapping(rows, scores)
    return [_in_picture(row, score, letterbox) for row, score in zip(rows, scores, strict=True)]


def network_input(square: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return a square uint8 picture as float32, 0 to 1, shape (1, 3, n, n)."""
    planes = np.ascontiguousarray(square.transpose(2, 0, 1)[None])
    return np.multiply(planes, np.float32(1 / 255), dtype=np.float32)


def letterboxed(
    pixels: NDArray[np.uint8], border: float
) -> tuple[NDArray[np.uint8], Letterbox]:
    """Shrink a picture into the middle of the detector's black square."""
    height, width = pixels.shape[:2]
    scale = DETECTOR_INPUT_PX / (max(height, width) * (1 + 2 * border))
    size = (max(round(width * scale), 1), max(round(height * scale), 1))
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    left, top = (DETECTOR_INPUT_PX - size[0]) // 2, (DETECTOR_INPUT_PX - size[1]) // 2
    square = np.zeros((DETECTOR_INPUT_PX, DETECTOR_INPUT_PX, 3), np.uint8)
    square[top : top + size[1], left : left + size[0]] = cv2.resize(
        pixels, size, interpolation=method
    )
    true_scale = np.array([size[0] / width, size[1] / height])
    return square, Letterbox(true_scale, np.array([left, top], np.float64))


def anchor_centres() -> Points:
    """Return the anchors' centres, shape (2016, 2), x fastest, as shares of the square."""
    grids = []
    for cells, per_cell in DETECTOR_GRIDS:
        middle = (np.arange(cells) + 0.5) / cells
        x, y = np.meshgrid(middle, middle)
        grids.append(np.repeat(np.column_stack([x.ravel(), y.ravel()]), per_cell, axis=0))
    return np.concatenate(grids)


_ANCHORS_PX: Final = anchor_centres() * DETECTOR_INPUT_PX


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
    kept = np.flatnonzero(scores >= DETECTOR_MIN_SCORE)
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
        group = _overlap(rows[0], rows) > DETECTOR_MAX_OVERLAP
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


def _in_picture(row: Points, score: float, letterbox: Letterbox) -> DetectedHand:
    pairs = row.reshape(9, 2)
    key_points = (pairs[2:] - letterbox.offset) / letterbox.scale
    return DetectedHand(
        centre=(pairs[0] - letterbox.offset) / letterbox.scale,
        size=np.abs(pairs[1] / letterbox.scale),
        wrist=key_points[_WRIST],
        knuckle=key_points[_MIDDLE_KNUCKLE],
        score=float(score),
    )

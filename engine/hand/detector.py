"""Finds hands with the palm detection network (MediaPipe Hands).

In a square of 192 pixels it returns for each of 2016 anchors a logit, a box round the palm and
seven key points. Overlapping boxes are averaged (weighted non-maximum suppression).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from engine import parameters as tuned
from engine.hand.picture import Look

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

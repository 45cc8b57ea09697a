"""A palm network in an ONNX file that makes vectors.

Its inputs are normalised crops (n, 1, size, size); or the lines of a region at the cells of the
competitive code with its oriented energy (``responses``, ``seen``, ``energy``); or, for a whole
graph, ``picture``, ``landmarks`` and ``right``. Its output is ``template`` or a single one, of
a whole graph ``vector``: one vector per palm.
"""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import cv2
import numpy as np

from engine.errors import ModelFault
from engine.features.competitive_code import find_lines
from engine.features.oriented_energy import describe_lines
from engine.networks.onnx_model import OnnxModel
from engine.parameters import CODE_CELLS
from engine.roi import cut_roi
from engine.types import Hand

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from engine.types import PalmLandmarks, PalmSample

    Plane = NDArray[np.float32]

NORMALISE_WINDOW_PX: Final = 17
"""Window of local mean and deviation, of a crop of 112 pixels."""

NORMALISE_FLOOR: Final = 2.0
"""Added to the deviation, grey levels, so that flat areas stay flat."""

NORMALISE_LIMIT: Final = 3.0
"""Limit of the results."""

WHOLE_INPUTS: Final = {"picture", "landmarks", "right"}
"""Inputs of a graph that cuts its own crop."""


LINE_INPUTS: Final = {"responses", "seen", "energy"}
"""Inputs of a network on lines, as in ``models.palm_graph.network``."""


class PalmNetwork:
    """Makes the vector of a palm.

    Raises:
        ModelFault: missing, not ONNX, or of another kind.
    """

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise ModelFault(f"no file {path.name}")
        self.digest = sha256(path.read_bytes()).hexdigest()
        self._model = OnnxModel(path, sha256=self.digest)
        inputs = self._model.inputs
        self._is_whole = set(inputs) == WHOLE_INPUTS
        self._sees_lines = set(inputs) == LINE_INPUTS
        self._input, shape = next(iter(inputs.items()))
        sees_crop = len(inputs) == 1 and _is_plane(shape)
        if not (self._is_whole or self._sees_lines or sees_crop):
            raise ModelFault(f"{path.name} has no inputs for a crop, lines or a picture")
        self._size_px = int(shape[-1]) if sees_crop else 0
        outputs = list(self._model.outputs)
        name = "vector" if self._is_whole else "template"
        if name not in outputs and len(outputs) != 1:
            raise ModelFault(f"{path.name} has no output {name}")
        self._output = name if name in outputs else outputs[0]

    def vector_of(self, sample: PalmSample, landmarks: PalmLandmarks) -> Plane:
        """Return the palm's vector, shape (dimension,), float32, L2 norm 1."""
        given = self._given(sample, landmarks)
        vector = self._model.run(given)[self._output].reshape(-1).astype(np.float32)
        return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-12), np.float32)

    def _given(self, sample: PalmSample, landmarks: PalmLandmarks) -> dict[str, NDArray[Any]]:
        if self._is_whole:
            return {
                "picture": sample.pixels,
                "landmarks": landmarks.points.astype(np.float32),
                "right": np.array(landmarks.hand is Hand.RIGHT),
            }
        region = cut_roi(sample, landmarks).pixels
        if self._sees_lines:
            return line_cells(region)
        return {self._input: normalise(downscale(region, self._size_px))[None, None]}


def line_cells(region: Plane) -> dict[str, NDArray[Any]]:
    """Return the lines of a region at the cells of the competitive code.

    Returns:
        ``responses``, shape (1, 6, 32, 32), ``seen``, shape (1, 32, 32), and ``energy``, shape
        (1, 384), float32.
    """
    lines = find_lines(region)
    step = region.shape[-1] // CODE_CELLS
    cells = np.s_[..., step // 2 :: step, step // 2 :: step]
    seen = lines.seen[cells].astype(np.float32)
    energy = describe_lines(lines)
    return {
        "responses": lines.responses[cells][None],
        "seen": seen[None],
        "energy": energy[None],
    }


def downscale(region: Plane, size_px: int) -> Plane:
    """Average a region to a network's size."""
    size = (size_px, size_px)
    return np.asarray(cv2.resize(region, size, interpolation=cv2.INTER_AREA), np.float32)


def normalise(crop: Plane) -> Plane:
    """Normalise the local contrast, as in training.

    Args:
        crop: shape (size, size), float32, grey levels.

    Returns:
        Same shape, float32, −3 to 3.
    """
    grey, share = np.asarray(crop, np.float32), _share(crop.shape[0])
    flat = grey - _sum(grey) * share
    deviation = np.sqrt(np.maximum(_sum(flat * flat), 0) * share)
    even = flat / (deviation + np.float32(NORMALISE_FLOOR))
    return np.clip(even, -NORMALISE_LIMIT, NORMALISE_LIMIT).astype(np.float32)


def _is_plane(shape: tuple[object, ...]) -> bool:
    if len(shape) != 4:
        return False
    _, channels, height, width = shape
    return channels == 1 and isinstance(height, int) and height == width


def _sum(plane: Plane) -> Plane:
    window = (NORMALISE_WINDOW_PX, NORMALISE_WINDOW_PX)
    summed = cv2.boxFilter(plane, -1, window, normalize=False, borderType=cv2.BORDER_CONSTANT)
    return np.asarray(summed, np.float32)


@cache
def _share(size_px: int) -> Plane:
    return np.reciprocal(_sum(np.ones((size_px, size_px), np.float32)))

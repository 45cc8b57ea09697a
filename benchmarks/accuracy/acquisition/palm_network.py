"""A palm graph in an ONNX file, as the engine runs it, measured by its vectors."""

from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine.errors import ModelFault
from engine.networks.onnx_model import OnnxModel
from engine.types import Hand, PalmLandmarks, PalmSample

INPUTS: Final = {"picture", "landmarks", "right"}


class PalmNetwork:
    """Makes the vector of a palm.

    Raises:
        ModelFault: missing, not ONNX, or no palm graph.
    """

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise ModelFault(f"no file {path.name}")
        self._model = OnnxModel(path, sha256=sha256(path.read_bytes()).hexdigest())
        if set(self._model.inputs) != INPUTS or "vector" not in self._model.outputs:
            raise ModelFault(f"{path.name} has not the inputs and outputs of a palm graph")

    def vector_of(self, sample: PalmSample, landmarks: PalmLandmarks) -> NDArray[np.float32]:
        """Return the palm's vector, shape (dimension,), float32, L2 norm 1."""
        given: dict[str, NDArray[Any]] = {
            "picture": sample.pixels,
            "landmarks": landmarks.points.astype(np.float32),
            "right": np.array(landmarks.hand is Hand.RIGHT),
        }
        vector = self._model.run(given)["vector"].reshape(-1).astype(np.float32)
        return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-12), np.float32)

"""The readable reference of the palm graphs: region, quality and code, and the previous vector.

A service runs the shipped ONNX graphs (``engine.extract.PalmGraphExtractor``), which tests
compare with it. The vector is that of ``palm_print``, from which people move.
"""

from functools import cache
from typing import Any, Final

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper

from engine.features.competitive_code import (
    ENERGY_DIMENSION,
    describe_lines,
    encode_lines,
    find_lines,
)
from engine.quality import assess, require_usable
from engine.roi import cut_roi
from engine.settings import EngineSettings
from engine.types import (
    Extraction,
    ExtractorId,
    PalmLandmarks,
    PalmRoi,
    PalmSample,
    PalmTemplate,
)

CLASSICAL_EXTRACTOR: Final = ExtractorId("compcode-2")
"""The previous extractor. A change in ``parameters.py`` needs a new name for both."""


class ReferenceExtractor:
    """Implements ``Extractor`` in NumPy and OpenCV."""

    extractor_id = CLASSICAL_EXTRACTOR
    dimension = ENERGY_DIMENSION

    def extract(self, sample: PalmSample, landmarks: PalmLandmarks) -> Extraction:
        """Make a template. Raises ``FailureToAcquire``."""
        roi = cut_roi(sample, landmarks)
        quality = require_usable(assess(roi))
        return Extraction(template=self.template_of(roi), roi=roi, quality=quality)

    def template_of(self, roi: PalmRoi) -> PalmTemplate:
        """Make a template of a region, whatever its quality."""
        lines = find_lines(roi.pixels)
        return PalmTemplate(
            extractor=self.extractor_id,
            hand=roi.hand,
            vector=whiten(describe_lines(lines)),
            code=encode_lines(lines),
        )


def whiten(vectors: NDArray[np.floating[Any]]) -> NDArray[np.float32]:
    """Whiten oriented energies, shape (…, 384), to L2 norm 1, with the graph's numbers."""
    mean, scale, lower = (_shipped()[f"evening_{name}"] for name in ("mean", "scale", "lower"))
    scaled = (np.asarray(vectors, np.float32) - mean) * scale
    half = lower.astype(np.float32)
    mixed = scaled @ half + scaled @ half.T + _shipped()["evening_diagonal"] * scaled
    whitened = mixed * scale
    lengths = np.linalg.norm(whitened, axis=-1, keepdims=True)
    return np.asarray(whitened / np.maximum(lengths, np.finfo(np.float32).eps), np.float32)


@cache
def _shipped() -> dict[str, NDArray[Any]]:
    graph = onnx.load(EngineSettings().weights_dir / "palm_print.onnx").graph
    return {each.name: numpy_helper.to_array(each) for each in graph.initializer}

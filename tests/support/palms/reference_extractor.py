"""The readable reference of the palm graph: region, quality and codes, and a vector of energy.

A service runs the shipped ONNX graph (``engine.extract.PalmGraphExtractor``), which tests
compare with it.
"""

from typing import Final

import numpy as np

from engine.features.competitive_code import (
    ENERGY_DIMENSION,
    describe_lines,
    encode_densely,
    encode_lines,
    find_lines,
)
from engine.parameters import CODE_SCALES
from engine.quality import assess, require_usable
from engine.roi import cut_roi
from engine.types import (
    Extraction,
    ExtractorId,
    PalmLandmarks,
    PalmRoi,
    PalmSample,
    PalmTemplate,
)

SHIPPED_EXTRACTOR: Final = ExtractorId("palmnet-3")
"""A change in ``parameters.py`` needs a new name."""


class ReferenceExtractor:
    """Implements ``Extractor`` in NumPy and OpenCV."""

    extractor_id = SHIPPED_EXTRACTOR
    dimension = ENERGY_DIMENSION

    def extract(self, sample: PalmSample, landmarks: PalmLandmarks) -> Extraction:
        """Make a template. Raises ``FailureToAcquire``."""
        roi = cut_roi(sample, landmarks)
        quality = require_usable(assess(roi))
        return Extraction(template=self.template_of(roi), roi=roi, quality=quality)

    def template_of(self, roi: PalmRoi) -> PalmTemplate:
        """Make a template of a region, whatever its quality."""
        scales = [find_lines(roi.pixels, scale) for scale in CODE_SCALES]
        return PalmTemplate(
            extractor=self.extractor_id,
            hand=roi.hand,
            vector=describe_lines(scales[0]),
            code=np.concatenate([encode_lines(lines) for lines in scales]),
            dense=np.concatenate([encode_densely(lines) for lines in scales]),
        )

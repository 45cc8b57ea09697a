"""The readable reference of the palm graphs: region, quality and code, and the previous vector.

A service runs the shipped ONNX graphs instead (``engine.extract.PalmGraphExtractor``). Tests
compare them. The vector is that of ``palm_print``, from which people move.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.features.competitive_code import encode_lines, find_lines
from engine.features.oriented_energy import ENERGY_DIMENSION, describe_lines
from engine.features.whitening import whiten
from engine.quality import assess, require_usable
from engine.roi import cut_roi
from engine.types import Extraction, ExtractorId, PalmRoi, PalmTemplate

if TYPE_CHECKING:
    from engine.types import PalmLandmarks, PalmSample

CLASSICAL_EXTRACTOR: Final = ExtractorId("compcode-2")
"""The previous extractor. A change in ``parameters.py`` needs a new name for both."""


class ReferenceExtractor:
    """Implements ``Extractor`` in numpy and OpenCV; the ONNX graph serves instead."""

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

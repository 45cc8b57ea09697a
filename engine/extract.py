"""A located palm becomes a template.

``Extractor`` is the joint: whatever implements it may be put into ``PalmPipeline``. The
classical extractor needs no trained weights: a competitive code, and an oriented-energy
descriptor as the vector that is searched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from engine.competitive_code import encode_lines, find_lines
from engine.errors import FailureToAcquire
from engine.oriented_energy import ENERGY_DIMENSION, describe_lines
from engine.parameters import CODE_BYTES
from engine.quality import require_quality
from engine.roi import cut_roi
from engine.types import Extraction, ExtractorId, PalmTemplate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.types import PalmLandmarks, PalmRoi, PalmSample

CLASSICAL_EXTRACTOR: Final = ExtractorId("compcode-1")
"""Region, code and descriptor as ``engine/parameters.py`` has them. Whoever changes one of
those numbers makes a new extractor: its scores do not compare with those of this one."""


class Extractor(Protocol):
    """Makes templates. May be used by several threads at once."""

    @property
    def extractor_id(self) -> ExtractorId:
        """Names the extractor and its preprocessing."""
        ...

    @property
    def dimension(self) -> int:
        """Numbers in a template's vector."""
        ...

    @property
    def code_bytes(self) -> int:
        """Size of a template's code."""
        ...

    def extract(self, sample: PalmSample, landmarks: PalmLandmarks) -> Extraction:
        """Make a template of the palm of a sample.

        Raises:
            FailureToAcquire: the palm gives no template; says why.
        """
        ...

    def extract_batch(
        self, palms: Sequence[tuple[PalmSample, PalmLandmarks]]
    ) -> list[Extraction | FailureToAcquire]:
        """Make templates of many palms: for each in turn, what ``extract`` gives or raises."""
        ...


class ClassicalExtractor:
    """Implements ``Extractor`` by Gabor kernels."""

    extractor_id = CLASSICAL_EXTRACTOR
    dimension = ENERGY_DIMENSION
    code_bytes = CODE_BYTES

    def extract(self, sample: PalmSample, landmarks: PalmLandmarks) -> Extraction:
        """Make a template of the palm of a sample. See ``Extractor.extract``."""
        roi = cut_roi(sample, landmarks)
        quality = require_quality(roi)
        return Extraction(template=self.template_of(roi), roi=roi, quality=quality)

    def extract_batch(
        self, palms: Sequence[tuple[PalmSample, PalmLandmarks]]
    ) -> list[Extraction | FailureToAcquire]:
        """Make templates of many palms. See ``Extractor.extract_batch``."""
        return [self._extract_or_fault(*palm) for palm in palms]

    def template_of(self, roi: PalmRoi) -> PalmTemplate:
        """Make a template of a region, whatever its quality."""
        lines = find_lines(roi.pixels)
        return PalmTemplate(
            extractor=self.extractor_id,
            hand=roi.hand,
            vector=describe_lines(lines),
            code=encode_lines(lines),
        )

    def _extract_or_fault(
        self, sample: PalmSample, landmarks: PalmLandmarks
    ) -> Extraction | FailureToAcquire:
        """Return what ``extract`` returns or raises."""
        try:
            return self.extract(sample, landmarks)
        except FailureToAcquire as fault:
            return fault

"""Extraction step by step, keeping every result. Services use ``PalmPipeline.extract``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.errors import EngineError
from engine.quality import assess
from engine.roi import cut_roi
from engine.template_codec import MAGIC, decode_template

if TYPE_CHECKING:
    from engine.pipeline import PalmPipeline
    from engine.types import PalmLandmarks, PalmRoi, PalmSample, PalmTemplate, Quality


@dataclass(frozen=True, slots=True)
class Inspection:
    """The results for one file. Later ones are None if a step failed.

    ``sample`` is None for a template file; ``fault`` says why there is no template.
    """

    sample: PalmSample | None = None
    landmarks: PalmLandmarks | None = None
    roi: PalmRoi | None = None
    quality: Quality | None = None
    template: PalmTemplate | None = None
    fault: EngineError | None = None


def inspect(pipeline: PalmPipeline, data: bytes) -> Inspection:
    """Extract from a picture, or read a template file."""
    seen = Inspection()
    try:
        if data.startswith(MAGIC):
            return Inspection(template=decode_template(data))
        sample = pipeline.decode(data)
        seen = replace(seen, sample=sample)
        sample, landmarks = pipeline.locate_in(sample, data)
        seen = replace(seen, sample=sample, landmarks=landmarks)
        roi = cut_roi(sample, landmarks)
        seen = replace(seen, roi=roi, quality=assess(roi))
        made = pipeline.extractor.extract(sample, landmarks)
    except EngineError as fault:
        return replace(seen, fault=fault)
    return replace(seen, roi=made.roi, quality=made.quality, template=made.template)

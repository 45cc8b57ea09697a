"""Runs the engine on files step by step, and keeps every result and its time.

Services use ``PalmPipeline.extract``.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter

from engine.decode import read_picture
from engine.errors import EngineError, GalleryFault, SampleUnreadable
from engine.extract import require_good
from engine.library import Comparison, Engine, Found, LabelledGallery
from engine.pipeline import PalmPipeline
from engine.template_codec import MAGIC, decode_template
from engine.types import PalmLandmarks, PalmRoi, PalmSample, PalmTemplate, Quality
from engine.workbench.inputs import InputFile


@dataclass(frozen=True, slots=True)
class Inspection:
    """The results for one file. Later ones are None if a step failed.

    ``sample`` is None for a template file; ``fault`` says why there is no template.
    """

    file: InputFile
    sample: PalmSample | None = None
    landmarks: PalmLandmarks | None = None
    roi: PalmRoi | None = None
    quality: Quality | None = None
    template: PalmTemplate | None = None
    fault: EngineError | None = None
    time_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class Compared:
    """A reference, and how a probe compares with it, or why it does not."""

    reference: Inspection
    found: Comparison | None = None
    fault: EngineError | None = None


@dataclass(frozen=True, slots=True)
class Identified:
    """A probe and who was found; None if nothing was searched."""

    probe: Inspection
    found: Found | None = field(default=None, repr=False)


def inspect(pipeline: PalmPipeline, file: InputFile) -> Inspection:
    """Extract from a picture, or read a template file. Every fault becomes a result."""
    start = perf_counter()
    seen = _inspected(pipeline, file)
    return replace(seen, time_ms=1000 * (perf_counter() - start))


def compare_with(engine: Engine, probe: PalmTemplate, reference: Inspection) -> Compared:
    """Compare a probe with a reference, if that has a template."""
    if reference.template is None:
        return Compared(reference, fault=reference.fault)
    try:
        return Compared(reference, engine.compare(probe, reference.template))
    except EngineError as fault:
        return Compared(reference, fault=fault)


def enrolled(engine: Engine, seen: Sequence[Inspection]) -> LabelledGallery:
    """Return a gallery of files by label.

    Raises:
        GalleryFault: no file has a template.
        ExtractorMismatch: one is of another extractor.
    """
    people = engine.gallery()
    for one in seen:
        if one.template is not None:
            people.enrol(one.file.label, [one.template])
    if not len(people):
        raise GalleryFault("no file of the gallery gave a template")
    return people


def identify(people: LabelledGallery, probe: Inspection, *, count: int) -> Identified:
    """Search for a probe and decide at the threshold for this gallery's size."""
    if probe.template is None:
        return Identified(probe)
    try:
        return Identified(probe, people.search(probe.template, count=count))
    except EngineError as fault:
        return Identified(replace(probe, fault=fault))


def _inspected(pipeline: PalmPipeline, file: InputFile) -> Inspection:
    seen = Inspection(file)
    try:
        data = read_picture(file.path)
        if isinstance(data, bytes) and data.startswith(MAGIC):
            return Inspection(file, template=decode_template(data))
        sample = pipeline.decode(data)
        seen = replace(seen, sample=sample)
        sample, landmarks = pipeline.locate(data, sample)
        seen = replace(seen, sample=sample, landmarks=landmarks)
        made = pipeline.extractor.inspect(sample, landmarks)
        seen = replace(seen, roi=made.roi, quality=made.quality)
        return replace(seen, template=require_good(made).template)
    except OSError as error:
        return replace(seen, fault=SampleUnreadable(error.strerror or "unreadable file"))
    except EngineError as fault:
        return replace(seen, fault=fault)

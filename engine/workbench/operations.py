"""The commands of ``thenar engine`` without any printing."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING

from engine.comparison.compare import compare
from engine.errors import EngineError, GalleryFault, SampleUnreadable
from engine.gallery.search.adaptive import AdaptiveGallery
from engine.library import LabelledGallery
from engine.workbench.inspection import Inspection, inspect

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from engine.decision.calibration import Calibration
    from engine.pipeline import PalmPipeline
    from engine.types import PalmTemplate
    from engine.workbench.inputs import InputFile


@dataclass(frozen=True, slots=True)
class InspectedFile:
    """The result for one file, and its total time in milliseconds."""

    file: InputFile
    inspection: Inspection
    time_ms: float

    @property
    def template(self) -> PalmTemplate | None:
        """The template, if there is one."""
        return self.inspection.template


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of a probe with one reference.

    Attributes:
        score: 0 to 1; None if there is no comparison.
        fmr: calibrated, at this score.
        fault: why there is no score.
    """

    reference: InspectedFile
    score: float | None = field(default=None, repr=False)
    fmr: float | None = field(default=None, repr=False)
    is_match: bool = False
    fault: EngineError | None = None


@dataclass(frozen=True, slots=True)
class Identification:
    """A probe's candidates (labels and scores, best first) and the match's label.

    ``threshold`` is None if nothing was searched.
    """

    probe: InspectedFile
    candidates: tuple[tuple[str, float], ...] = field(default=(), repr=False)
    threshold: float | None = None
    match: str | None = None


def inspect_files(
    pipeline: PalmPipeline, files: Iterable[InputFile]
) -> Iterator[InspectedFile]:
    """Extract from each file. An unreadable file gives a fault."""
    for file in files:
        start = perf_counter()
        try:
            inspection = inspect(pipeline, file.path.read_bytes())
        except OSError as error:
            inspection = Inspection(fault=SampleUnreadable(error.strerror or "unreadable file"))
        yield InspectedFile(file, inspection, 1000 * (perf_counter() - start))


def compare_with(
    probe: PalmTemplate,
    references: Sequence[InspectedFile],
    calibration: Calibration,
    threshold: float,
) -> list[Comparison]:
    """Compare a probe with each reference that has a template."""
    return [
        _comparison_with(probe, reference, calibration, threshold) for reference in references
    ]


def _comparison_with(
    probe: PalmTemplate, reference: InspectedFile, calibration: Calibration, threshold: float
) -> Comparison:
    if reference.template is None:
        return Comparison(reference, fault=reference.inspection.fault)
    try:
        score = compare(probe, reference.template)
    except EngineError as fault:
        return Comparison(reference, fault=fault)
    return Comparison(reference, score, calibration.fmr_at(score), score >= threshold)


def enrolled(
    seen: Sequence[InspectedFile], calibration: Calibration, fpir: float
) -> LabelledGallery:
    """Return a gallery of files by label. Raises ``GalleryFault`` without a template."""
    labelled = [(one.file.label, one.template) for one in seen if one.template]
    if not labelled:
        raise GalleryFault("no file of the gallery gave a template")
    first = labelled[0][1]
    gallery = AdaptiveGallery(first.extractor, first.vector.size)
    people = LabelledGallery(gallery, calibration, fpir)
    for label, template in labelled:
        people.enrol(label, [template])
    return people


def identify(people: LabelledGallery, probe: InspectedFile, *, count: int) -> Identification:
    """Search for a probe and decide at the threshold for this gallery's size."""
    if probe.template is None:
        return Identification(probe)
    try:
        found = people.search(probe.template, count=count)
    except EngineError as fault:
        failed = Inspection(template=probe.template, fault=fault)
        return Identification(InspectedFile(probe.file, failed, probe.time_ms))
    return Identification(probe, found.candidates, found.threshold, found.label)

"""Inspection and comparison of files, without any printing; ``searching`` identifies."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING

from engine.comparison.compare import compare
from engine.errors import EngineError, SampleUnreadable
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

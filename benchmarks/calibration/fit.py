"""``thenar bench calibrate``: fit an extractor's thresholds to sets of palms.

Non-mated comparisons of one side give the thresholds, mated ones tell what they cost. Writes
rates, never scores.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import numpy as np
import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.calibration.tail_fit import (
    SetCounts,
    TooFewComparisons,
    fit_mated,
    fit_non_mated,
)
from benchmarks.datasets.manifest import DatasetFault, Picture, read_palm_set
from benchmarks.datasets.samples import landmarks_on_crop, read_sample, side_of
from engine.comparison.compare import compare_many
from engine.comparison.vector_penalty import load_vector_penalty
from engine.decision.calibration import Calibration
from engine.errors import EngineError
from engine.pipeline import load_pipeline
from engine.settings import EngineSettings
from engine.types import Hand

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from benchmarks.datasets.manifest import PalmSet
    from engine.comparison.vector_penalty import VectorPenalty
    from engine.decision.calibration import NonMatedScores
    from engine.decision.mated_scores import MatedScores
    from engine.pipeline import PalmPipeline
    from engine.types import Extraction, ExtractorId, PalmTemplate

SHOWN_RATES: Final = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7)

HEADING: Final = """\
# Score → share of non-mated comparisons that reach it. Written by `thenar bench calibrate`.
# The worst set decides. Rates below 30 / comparisons are extrapolated.
# The tables of mated scores show what a threshold costs; thresholds do not use them.
# Scores are fused; `thenar bench fusion` fitted the vector penalty.
"""


@dataclass(frozen=True, slots=True)
class LabelledTemplate:
    """A template with its palm and session.

    Attributes:
        session: empty if unknown.
    """

    identity: str = field(repr=False)
    session: str
    template: PalmTemplate = field(repr=False)


_console = Console(stderr=True, highlight=False)


def calibrate(
    data: Annotated[list[Path], typer.Argument(help="Folders with manifest.csv and pictures.")],
    out: Annotated[Path, typer.Option(help="The TOML file to write.")],
    pictures_per_palm: Annotated[int, typer.Option(min=1, help="Most pictures per palm.")] = 10,
) -> None:
    """Fit the table score → FMR that thresholds come from, one fit for each set."""
    settings = EngineSettings()
    try:
        pipeline = load_pipeline(settings)
        fits = [fit_set(folder, pipeline, pictures_per_palm) for folder in data]
    except (DatasetFault, EngineError, TooFewComparisons) as fault:
        _console.print(f"[red]{fault}[/]", soft_wrap=True)
        raise typer.Exit(code=1) from fault
    non_mated, mated = zip(*fits, strict=True)
    extractor = pipeline.extractor.extractor_id
    calibration = Calibration(extractor, non_mated, mated, load_vector_penalty(extractor))
    out.write_text(calibration_toml(calibration), "utf-8")
    _console.print(_table(calibration))
    _console.print(f"written to {out}", soft_wrap=True)


def fit_set(
    folder: Path, pipeline: PalmPipeline, pictures_per_palm: int
) -> tuple[NonMatedScores, MatedScores]:
    """Fit the scores of one set."""
    palms = read_palm_set(folder)
    templates = labelled_templates(palms, pipeline, pictures_per_palm)
    scores = np.concatenate([_side_scores(templates, hand) for hand in Hand])
    _console.print(f"{palms.name}: {scores.size} comparisons")
    identities = {labelled.identity for labelled in templates}
    counts = SetCounts(palms.name, len(identities), len(templates))
    return fit_non_mated(scores, counts), fit_mated(mated_scores(templates), counts)


def labelled_templates(
    palms: PalmSet, pipeline: PalmPipeline, pictures_per_palm: int
) -> list[LabelledTemplate]:
    """Extract templates from up to ``pictures_per_palm`` pictures of each palm."""
    chosen = _spread(palms, pictures_per_palm)
    templates = []
    for picture in track(chosen, f"{palms.name}: templates", console=_console):
        extraction = extraction_of(picture, pipeline)
        if extraction is not None:
            template = extraction.template
            templates.append(LabelledTemplate(picture.identity, picture.session, template))
    lost = len(chosen) - len(templates)
    _console.print(f"{palms.name}: {lost} of {len(chosen)} pictures not acquired")
    return templates


def non_mated_scores(templates: Sequence[LabelledTemplate]) -> NDArray[np.float32]:
    """Return the scores of all pairs of different palms, each pair once."""
    scores = [np.zeros(0, np.float32)]
    for row, one in enumerate(track(templates, "comparing", console=_console, transient=True)):
        others = [o.template for o in templates[row + 1 :] if o.identity != one.identity]
        scores.append(compare_many(one.template, others))
    return np.concatenate(scores)


def mated_scores(templates: Sequence[LabelledTemplate]) -> NDArray[np.float32]:
    """Return the scores of all pairs of one palm, each pair once.

    For palms with several sessions only pairs across sessions count: a person signs in on
    another day.
    """
    of_palm: dict[str, list[LabelledTemplate]] = {}
    for labelled in templates:
        of_palm.setdefault(labelled.identity, []).append(labelled)
    scores = [np.zeros(0, np.float32)]
    for pictures in of_palm.values():
        several = len({picture.session for picture in pictures}) > 1
        for number, one in enumerate(pictures):
            others = [
                other.template
                for other in pictures[number + 1 :]
                if other.template.hand is one.template.hand
                and not (several and other.session == one.session)
            ]
            scores.append(compare_many(one.template, others))
    return np.concatenate(scores)


def calibration_toml(calibration: Calibration) -> str:
    """Write a calibration for ``engine.decision.calibration.parse_calibration``."""
    blocks = [header_toml(calibration.extractor, calibration.vector_penalty)]
    blocks += [_fit_toml(fit) for fit in calibration.non_mated]
    blocks += [_mated_toml(fit) for fit in calibration.mated]
    return "\n\n".join(blocks) + "\n"


def header_toml(extractor: ExtractorId, penalty: VectorPenalty) -> str:
    """Write the head of a calibration: extractor and vector penalty."""
    cosines = ", ".join(f"{cosine:g}" for cosine in penalty.expected_cosines)
    table = f"[doubt]\nweight = {penalty.weight:g}\nexpected_cosines = [{cosines}]"
    return f'{HEADING}extractor = "{extractor}"\n\n{table}'


def _fit_toml(fit: NonMatedScores) -> str:
    lines = [
        "[[fit]]",
        f'data = "{fit.data}"',
        f"palms = {fit.palms}",
        f"pictures = {fit.pictures}",
        f"comparisons = {fit.comparisons}",
        f"rates = [{', '.join(f'{rate:.6g}' for rate in fit.rates)}]",
        f"scores = [{', '.join(f'{score:.5f}' for score in fit.scores)}]",
        f"scale = {fit.scale:.6f}",
        f"shape = {fit.shape:.4f}",
    ]
    return "\n".join(lines)


def _mated_toml(fit: MatedScores) -> str:
    lines = [
        "[[mated]]",
        f'data = "{fit.data}"',
        f"palms = {fit.palms}",
        f"comparisons = {fit.comparisons}",
        f"rates = [{', '.join(f'{rate:.6g}' for rate in fit.rates)}]",
        f"scores = [{', '.join(f'{score:.5f}' for score in fit.scores)}]",
    ]
    return "\n".join(lines)


def _spread(palms: PalmSet, count: int) -> list[Picture]:
    chosen = []
    for pictures in palms.by_identity().values():
        steps = min(count, len(pictures))
        places = np.linspace(0, len(pictures) - 1, steps).round().astype(int)
        chosen += [pictures[place] for place in places]
    return chosen


def _side_scores(templates: Sequence[LabelledTemplate], hand: Hand) -> NDArray[np.float32]:
    return non_mated_scores([each for each in templates if each.template.hand is hand])


def extraction_of(picture: Picture, pipeline: PalmPipeline) -> Extraction | None:
    """Extract a picture's template; None if it is not acquired."""
    try:
        if picture.kind != "roi":
            return pipeline.extract(picture.path.read_bytes())
        sample = read_sample(picture.path)
        landmarks = landmarks_on_crop(sample, side_of(picture.hand) or Hand.LEFT)
        return pipeline.extractor.extract(sample, landmarks)
    except EngineError:
        return None
    except OSError as error:
        raise DatasetFault(f"a picture of {picture.path.parent} cannot be read") from error


def _table(calibration: Calibration) -> Table:
    table = Table("FMR", *(fit.data for fit in calibration.non_mated), "threshold", box=None)
    for rate in SHOWN_RATES:
        own = [f"{fit.threshold_for_fmr(rate):.4f}" for fit in calibration.non_mated]
        mark = " extrapolated" if calibration.is_extrapolated(rate) else ""
        table.add_row(f"{rate:g}", *own, f"{calibration.threshold_for_fmr(rate):.4f}{mark}")
    return table

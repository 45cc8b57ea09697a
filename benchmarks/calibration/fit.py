"""Fit an extractor's thresholds to sets of palms.

Non-mated comparisons of one side give the thresholds, mated ones tell what they cost. Writes
rates, never scores.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from rich.progress import track
from rich.table import Table

from benchmarks.calibration.tail_fit import (
    SetCounts,
    fit_mated,
    fit_non_mated,
)
from benchmarks.calibration.toml import calibration_toml
from benchmarks.console import console
from benchmarks.datasets.manifest import read_palm_set
from benchmarks.datasets.templates import LabelledTemplate, labelled_templates
from engine.comparison.compare import compare_many, load_vector_penalty
from engine.decision.calibration import Calibration, MatedScores, NonMatedScores
from engine.pipeline import PalmPipeline, load_pipeline
from engine.settings import EngineSettings
from engine.types import Hand

SHOWN_RATES: Final = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7)


def fit_sets(data: list[Path], out: Path, pictures_per_palm: int) -> None:
    """Fit each set's scores and write the calibration."""
    pipeline = load_pipeline(EngineSettings())
    fits = [fit_set(folder, pipeline, pictures_per_palm) for folder in data]
    non_mated, mated = zip(*fits, strict=True)
    extractor = pipeline.extractor.extractor_id
    calibration = Calibration(extractor, non_mated, mated, load_vector_penalty(extractor))
    out.write_text(calibration_toml(calibration), "utf-8")
    console.print(_table(calibration))


def fit_set(
    folder: Path, pipeline: PalmPipeline, pictures_per_palm: int
) -> tuple[NonMatedScores, MatedScores]:
    """Fit the scores of one set."""
    palms = read_palm_set(folder)
    templates = labelled_templates(palms, pipeline, pictures_per_palm)
    scores = np.concatenate([_side_scores(templates, hand) for hand in Hand])
    console.print(f"{palms.name}: {scores.size} comparisons")
    identities = {labelled.identity for labelled in templates}
    counts = SetCounts(palms.name, len(identities), len(templates))
    return fit_non_mated(scores, counts), fit_mated(mated_scores(templates), counts)


def non_mated_scores(templates: Sequence[LabelledTemplate]) -> NDArray[np.float32]:
    """Return the scores of all pairs of different palms, each pair once."""
    scores = [np.zeros(0, np.float32)]
    for row, one in enumerate(track(templates, "comparing", console=console, transient=True)):
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


def _side_scores(templates: Sequence[LabelledTemplate], hand: Hand) -> NDArray[np.float32]:
    return non_mated_scores([each for each in templates if each.template.hand is hand])


def _table(calibration: Calibration) -> Table:
    table = Table("FMR", *(fit.data for fit in calibration.non_mated), "threshold", box=None)
    for rate in SHOWN_RATES:
        own = [f"{fit.threshold_for_fmr(rate):.4f}" for fit in calibration.non_mated]
        table.add_row(f"{rate:g}", *own, f"{calibration.threshold_for_fmr(rate):.4f}")
    return table

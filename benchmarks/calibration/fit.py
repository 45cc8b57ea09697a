"""Fit an extractor's thresholds to sets of palms.

Non-mated comparisons of one side give the thresholds, mated ones tell what they cost. Writes
rates, never scores.

The tables and the tail are fitted by pure functions, and written as
``engine.decision.calibration`` reads them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from benchmarks.console import BenchmarkFault, console, track
from benchmarks.datasets import LabelledTemplate, labelled_templates, read_palm_set
from engine.comparison.alignment import compare_claimed
from engine.comparison.compare import VectorPenalty, load_vector_penalty
from engine.decision.calibration import Calibration, MatedScores, NonMatedScores
from engine.pipeline import PalmPipeline, load_pipeline
from engine.settings import EngineSettings
from engine.types import ExtractorId, Hand

TABLE_RATES: Final = (0.9, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002)
"""False match rates of the table above the tail."""

TAIL_SHARE: Final = 1e-3
"""Share of the scores that the tail is fitted to. A larger share includes the bend of the body
in a tail that should be straight: 1 % gave thresholds up to 0.01 higher.
"""

MIN_TAIL_COUNT: Final = 300
"""Fewest scores for the tail, by a larger share if needed: gives its scale to about 6 %, if
independent.
"""

MIN_COUNT: Final = 10 * MIN_TAIL_COUNT
"""Fewest scores for a fit."""


MATED_RATES: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.9)
"""False non-match rates of the mated table, as far as the set supports them."""

MIN_MATED: Final = 5
"""Mated comparisons that must lie below a score of the table."""


@dataclass(frozen=True, slots=True)
class SetCounts:
    """Size of the set behind a fit."""

    data: str
    palms: int
    pictures: int


def fit_non_mated(scores: NDArray[np.floating], counts: SetCounts) -> NonMatedScores:
    """Fit the distribution of non-mated scores.

    Args:
        scores: shape (count,), 0 to 1.
        counts: of the set.

    Raises:
        BenchmarkFault: fewer than 3000.
    """
    if scores.size < MIN_COUNT:
        raise BenchmarkFault(f"{scores.size} non-mated comparisons; {MIN_COUNT} are needed")
    tail_rate = max(TAIL_SHARE, MIN_TAIL_COUNT / scores.size)
    rates = [rate for rate in TABLE_RATES if rate > tail_rate] + [tail_rate]
    quantiles = np.quantile(scores.astype(np.float64), 1 - np.array(rates))
    excesses = scores[scores > quantiles[-1]].astype(np.float64) - quantiles[-1]
    scale, shape = fit_tail(excesses)
    return NonMatedScores(
        data=counts.data,
        palms=counts.palms,
        pictures=counts.pictures,
        comparisons=int(scores.size),
        rates=(1.0, *rates),
        scores=(0.0, *(float(quantile) for quantile in quantiles)),
        scale=scale,
        shape=shape,
    )


def fit_mated(scores: NDArray[np.floating], counts: SetCounts) -> MatedScores:
    """Make the table of mated scores.

    Args:
        scores: shape (count,), 0 to 1.
        counts: of the set.
    """
    rates = [rate for rate in MATED_RATES if rate * scores.size >= MIN_MATED]
    if len(rates) < 2:
        raise BenchmarkFault(f"{scores.size} mated comparisons are too few")
    quantiles = np.quantile(scores.astype(np.float64), rates)
    return MatedScores(
        data=counts.data,
        palms=counts.palms,
        comparisons=int(scores.size),
        rates=tuple(rates),
        scores=tuple(float(quantile) for quantile in quantiles),
    )


def fit_tail(excesses: NDArray[np.float64]) -> tuple[float, float]:
    """Fit a generalised Pareto distribution by probability-weighted moments.

    Hosking and Wallis 1987. A shape below 0 would mean that scores have an upper end: the tail
    is exponential instead.

    Args:
        excesses: shape (count,), above 0.

    Returns:
        Scale and shape, the latter 0 to below 1.
    """
    ordered = np.sort(excesses)
    rank = (np.arange(ordered.size) + 0.65) / ordered.size
    mean, weighted = float(ordered.mean()), float(np.mean(ordered * (1 - rank)))
    shape = 2 - mean / (mean - 2 * weighted)
    if not shape > 0:
        return mean, 0.0
    return 2 * mean * weighted / (mean - 2 * weighted), min(shape, 0.99)


HEADING: Final = """\
# Score → share of non-mated comparisons that reach it. Written by `thenar bench calibrate`.
# The worst set decides. Rates below 30 / comparisons are extrapolated.
# The tables of mated scores show what a threshold costs; thresholds do not use them.
# Scores are fused; the vector penalty was fitted by its option `--drawn`.
"""


def calibration_toml(calibration: Calibration) -> str:
    """Write a calibration for ``engine.decision.calibration.parse_calibration``."""
    blocks = [header_toml(calibration.extractor, calibration.vector_penalty)]
    blocks += [_fit_toml(fit) for fit in calibration.non_mated]
    blocks += ["\n".join(["[[mated]]", *_toml_table(fit)]) for fit in calibration.mated]
    return "\n\n".join(blocks) + "\n"


def header_toml(extractor: ExtractorId, penalty: VectorPenalty) -> str:
    """Write the head of a calibration: extractor and vector penalty."""
    cosines = ", ".join(f"{cosine:g}" for cosine in penalty.expected_cosines)
    table = f"[doubt]\nweight = {penalty.weight:g}\nexpected_cosines = [{cosines}]"
    return f'{HEADING}extractor = "{extractor}"\n\n{table}'


def _fit_toml(fit: NonMatedScores) -> str:
    tail = [f"scale = {fit.scale:.6f}", f"shape = {fit.shape:.4f}"]
    return "\n".join(["[[fit]]", *_toml_table(fit, f"pictures = {fit.pictures}"), *tail])


def _toml_table(fit: NonMatedScores | MatedScores, *pictures: str) -> list[str]:
    return [
        f'data = "{fit.data}"',
        f"palms = {fit.palms}",
        *pictures,
        f"comparisons = {fit.comparisons}",
        f"rates = [{', '.join(f'{rate:.6g}' for rate in fit.rates)}]",
        f"scores = [{', '.join(f'{score:.5f}' for score in fit.scores)}]",
    ]


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
    """Return the scores of all pairs of different palms, each pair once, as of one claim.

    Those of a search are never higher.
    """
    scores = [np.zeros(0, np.float32)]
    for row, one in enumerate(track(templates, "comparing")):
        others = [o.template for o in templates[row + 1 :] if o.identity != one.identity]
        scores.append(compare_claimed(one.template, others))
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
            scores.append(compare_claimed(one.template, others))
    return np.concatenate(scores)


def _side_scores(templates: Sequence[LabelledTemplate], hand: Hand) -> NDArray[np.float32]:
    return non_mated_scores([each for each in templates if each.template.hand is hand])


def _table(calibration: Calibration) -> Table:
    table = Table("FMR", *(fit.data for fit in calibration.non_mated), "threshold", box=None)
    for rate in SHOWN_RATES:
        own = [f"{fit.threshold_for_fmr(rate):.4f}" for fit in calibration.non_mated]
        table.add_row(f"{rate:g}", *own, f"{calibration.threshold_for_fmr(rate):.4f}")
    return table

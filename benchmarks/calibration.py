"""``thenar bench calibrate``: from palms nobody claims to be, to an extractor's thresholds.

Compares each picture with those of all other palms of its side. Writes rates, never scores of
anybody.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import cv2
import numpy as np
import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.datasets.manifest import DatasetFault, Picture, read_palm_set
from benchmarks.tail_fit import SetCounts, TooFewComparisons, fit_non_mated
from engine.calibrate import Calibration
from engine.compare import compare_codes
from engine.errors import EngineError
from engine.extract import ClassicalExtractor
from engine.parameters import ROI_SIZE_PX
from engine.pipeline import load_pipeline
from engine.settings import EngineSettings
from engine.types import Hand, PalmRoi

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from benchmarks.datasets.manifest import PalmSet
    from engine.calibrate import NonMatedFit
    from engine.pipeline import PalmPipeline
    from engine.types import PalmTemplate

SHOWN_RATES: Final = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7)
"""False match rates whose thresholds are printed."""

HEADING: Final = """\
# Which share of non-mated comparisons reaches which score. Written by `thenar bench calibrate`.
# The worst set decides. Rates below 30 / comparisons are extrapolated.
"""

Labelled = list[tuple[str, "PalmTemplate"]]
"""Templates, each with the palm it is of."""

_console = Console(stderr=True, highlight=False)


def calibrate(
    data: Annotated[list[Path], typer.Argument(help="Folders with manifest.csv and pictures.")],
    out: Annotated[Path, typer.Option(help="The TOML file to write.")],
    pictures_per_palm: Annotated[
        int, typer.Option(min=1, help="At most so many, spread over each palm's pictures.")
    ] = 10,
) -> None:
    """Fit the table score → FMR that thresholds come from, one fit for each set of palms."""
    settings = EngineSettings()
    try:
        pipeline = load_pipeline(settings)
        fits = [fit_set(folder, pipeline, pictures_per_palm) for folder in data]
    except (DatasetFault, EngineError, TooFewComparisons) as fault:
        _console.print(f"[red]{fault}[/]", soft_wrap=True)
        raise typer.Exit(code=1) from fault
    calibration = Calibration(pipeline.extractor.extractor_id, tuple(fits))
    out.write_text(calibration_toml(calibration), "utf-8")
    _console.print(_table(calibration))
    _console.print(f"written to {out}", soft_wrap=True)


def fit_set(folder: Path, pipeline: PalmPipeline, pictures_per_palm: int) -> NonMatedFit:
    """Fit the non-mated scores of one set.

    Raises:
        DatasetFault: the folder is no set.
        EngineError: a file is no picture at all.
        TooFewComparisons: the set has too few palms or pictures.
    """
    palms = read_palm_set(folder)
    chosen = _spread(palms, pictures_per_palm)
    templates: Labelled = []
    for picture in track(chosen, f"{palms.name}: templates", console=_console):
        template = _template_of(picture, pipeline)
        if template is not None:
            templates.append((picture.identity, template))
    scores = np.concatenate([_side_scores(templates, hand) for hand in Hand])
    lost = len(chosen) - len(templates)
    _console.print(f"{palms.name}: {scores.size} comparisons, {lost} pictures not acquired")
    identities = {identity for identity, _ in templates}
    counts = SetCounts(palms.name, len(identities), len(templates))
    return fit_non_mated(scores, counts)


def non_mated_scores(
    codes: NDArray[np.uint8], identities: Sequence[str]
) -> NDArray[np.float32]:
    """Return the scores of all pairs of different palms, each pair once.

    Args:
        codes: shape (count, 384), of one side of the body.
        identities: whose palm each is.
    """
    names = np.array(identities)
    scores = [np.zeros(0, np.float32)]
    for row in track(range(len(codes)), "comparing", console=_console, transient=True):
        others = row + 1 + np.flatnonzero(names[row + 1 :] != names[row])
        if others.size:
            scores.append(1 - compare_codes(codes[row], codes[others]))
    return np.concatenate(scores)


def calibration_toml(calibration: Calibration) -> str:
    """Write a calibration as ``engine.calibrate.parse_calibration`` reads it."""
    blocks = [f'{HEADING}extractor = "{calibration.extractor}"']
    blocks += [_fit_toml(fit) for fit in calibration.fits]
    return "\n\n".join(blocks) + "\n"


def _fit_toml(fit: NonMatedFit) -> str:
    """Write one set's fit."""
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


def _spread(palms: PalmSet, count: int) -> list[Picture]:
    """Choose up to so many pictures of each palm, spread over all of them."""
    chosen = []
    for pictures in palms.by_identity().values():
        places = np.unique(np.linspace(0, len(pictures) - 1, count).round().astype(int))
        chosen += [pictures[place] for place in places]
    return chosen


def _side_scores(templates: Labelled, hand: Hand) -> NDArray[np.float32]:
    """Return the non-mated scores of one side of the body."""
    side = [(identity, t.code) for identity, t in templates if t.hand is hand]
    if not side:
        return np.zeros(0, np.float32)
    return non_mated_scores(np.stack([code for _, code in side]), [name for name, _ in side])


def _template_of(picture: Picture, pipeline: PalmPipeline) -> PalmTemplate | None:
    """Return a picture's template, or None if it gives none."""
    if picture.kind == "roi":
        return ClassicalExtractor().template_of(_read_roi(picture))
    try:
        return pipeline.extract(picture.path.read_bytes()).template
    except EngineError:
        return None


def _read_roi(picture: Picture) -> PalmRoi:
    """Read a picture that is a region of interest already."""
    pixels = cv2.imread(str(picture.path), cv2.IMREAD_GRAYSCALE)
    if pixels is None:
        raise DatasetFault(f"a picture of {picture.path.parent} cannot be read")
    side = ROI_SIZE_PX
    square = cv2.resize(pixels, (side, side), interpolation=cv2.INTER_AREA)
    corners = np.array([(0, 0), (side, 0), (side, side), (0, side)], np.float32)
    hand = Hand.LEFT if picture.hand == "L" else Hand.RIGHT
    return PalmRoi(np.asarray(square, np.uint8), hand, corners, 0.0, float(side), 1.0)


def _table(calibration: Calibration) -> Table:
    """Return the thresholds, for people."""
    table = Table("FMR", *(fit.data for fit in calibration.fits), "threshold", box=None)
    for rate in SHOWN_RATES:
        own = [f"{fit.threshold_for_fmr(rate):.4f}" for fit in calibration.fits]
        mark = " extrapolated" if calibration.is_extrapolated(rate) else ""
        table.add_row(f"{rate:g}", *own, f"{calibration.threshold_for_fmr(rate):.4f}{mark}")
    return table

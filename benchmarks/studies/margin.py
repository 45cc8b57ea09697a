"""``thenar bench margin``: cost of refusing a search whose second best is too close.

Pictures that are not enrolled are probes: as mates, and as strangers without their own palm.
For each margin, counts refused mates and stopped strangers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import numpy as np
import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.calibration.fit import LabelledTemplate, labelled_templates
from benchmarks.datasets.manifest import DatasetFault, read_palm_set
from benchmarks.measurement.result_files import result, write_result
from engine.comparison.compare import compare_many
from engine.decision.calibration import load_calibration, threshold_for_fpir
from engine.errors import EngineError
from engine.pipeline import load_pipeline
from engine.settings import EngineSettings
from engine.types import Hand

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from engine.types import PalmTemplate

MARGINS: Final = (0.0, 0.0025, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.04)

REFERENCES: Final = 3

FPIRS: Final = (1e-3, 1e-2, 1e-1, 0.5)
"""Rates of the thresholds. High ones, too: at the shipped rate hardly any stranger reaches it.
"""

_console = Console(stderr=True, highlight=False)


@dataclass(frozen=True, slots=True)
class Searches:
    """Best scores of searches of one side, one row per probe.

    Attributes:
        own: of the probe's own palm.
        first: best of all other palms.
        second: second best of all other palms.
    """

    own: NDArray[np.float32] = field(repr=False)
    first: NDArray[np.float32] = field(repr=False)
    second: NDArray[np.float32] = field(repr=False)
    rows: int


def margin(
    data: Annotated[Path, typer.Argument(help="Folder with manifest.csv and pictures.")],
    out: Annotated[Path, typer.Option(help="Folder for the JSON.")],
) -> None:
    """Measure what margins between the best and the second best palm cost and prevent."""
    try:
        palms = read_palm_set(data)
        pipeline = load_pipeline(EngineSettings())
        templates = labelled_templates(palms, pipeline, pictures_per_palm=10**6)
        calibration = load_calibration(pipeline.extractor.extractor_id)
    except (DatasetFault, EngineError) as fault:
        _console.print(f"[red]{fault}[/]", soft_wrap=True)
        raise typer.Exit(code=1) from fault
    sides = [searches_of(templates, hand) for hand in Hand]
    lines = []
    for fpir in FPIRS:
        thresholds = [
            threshold_for_fpir(calibration, fpir, max(1, side.rows)) for side in sides
        ]
        lines += [measured(sides, thresholds, margin, fpir) for margin in MARGINS]
    numbers = {"extractor": str(calibration.extractor), "margins": lines}
    content = result(
        protocol="margin-1",
        palms=palms,
        parameters={"references": REFERENCES},
        numbers=numbers,
        at=datetime.now(UTC),  # noqa: TID251 -- the date of a result
    )
    path = write_result(out, f"margin-{palms.name}", content)
    _console.print(_table(lines))
    _console.print(f"written to {path}", soft_wrap=True)


def searches_of(templates: Sequence[LabelledTemplate], hand: Hand) -> Searches:
    """Search with every picture of one side that is not enrolled."""
    palms: dict[str, list[PalmTemplate]] = {}
    for each in templates:
        if each.template.hand is hand:
            palms.setdefault(each.identity, []).append(each.template)
    known = {name: shots for name, shots in palms.items() if len(shots) > REFERENCES}
    if len(known) < 3:
        nothing = np.zeros(0, np.float32)
        return Searches(nothing, nothing, nothing, 0)
    gallery = [template for shots in known.values() for template in shots[:REFERENCES]]
    own, first, second = [], [], []
    for place, shots in enumerate(track(known.values(), "searching", console=_console)):
        for probe in shots[REFERENCES:]:
            scores = compare_many(probe, gallery)
            best = scores.reshape(-1, REFERENCES).max(axis=1)
            own.append(best[place])
            others = np.sort(np.delete(best, place))
            first.append(others[-1])
            second.append(others[-2])
    columns = [np.array(column, np.float32) for column in (own, first, second)]
    return Searches(columns[0], columns[1], columns[2], len(gallery))


def measured(
    sides: Sequence[Searches], thresholds: Sequence[float], margin: float, fpir: float
) -> dict[str, Any]:
    """Count at one margin, over both sides, each at its own threshold."""
    mates = refused = strangers = let_in = stopped = misnamed = prevented = 0
    for side, threshold in zip(sides, thresholds, strict=True):
        recognised = (side.own >= threshold) & (side.own > side.first)
        wrong = (side.first >= threshold) & (side.first >= side.own)
        taken = side.first >= threshold
        mates += len(side.own)
        refused += int((recognised & (side.own - side.first < margin)).sum())
        runner_up = np.maximum(side.own, side.second)
        misnamed += int(wrong.sum())
        prevented += int((wrong & (side.first - runner_up < margin)).sum())
        strangers += len(side.first)
        let_in += int(taken.sum())
        stopped += int((taken & (side.first - side.second < margin)).sum())
    return {
        "target_fpir": fpir,
        "margin": margin,
        "mates": {"searches": mates, "recognised_but_refused": refused},
        "mates_taken_for_others": {"count": misnamed, "stopped": prevented},
        "strangers": {"searches": strangers, "let_in": let_in, "stopped": stopped},
    }


def _table(lines: Sequence[dict[str, Any]]) -> Table:
    headings = "FPIR", "margin", "mates refused", "strangers stopped", "mix-ups stopped"
    table = Table(*headings, box=None)
    for line in lines:
        mates, strangers = line["mates"], line["strangers"]
        mixed = line["mates_taken_for_others"]
        table.add_row(
            f"{line['target_fpir']:g}",
            f"{line['margin']:g}",
            f"{mates['recognised_but_refused']} of {mates['searches']}",
            f"{strangers['stopped']} of {strangers['let_in']} let in",
            f"{mixed['stopped']} of {mixed['count']}",
        )
    return table

"""``thenar bench robustness``: how misses grow with what makes pictures hard."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress, track
from rich.table import Table

from benchmarks.accuracy.run import require_pictures
from benchmarks.datasets.manifest import DatasetFault, read_palm_set
from benchmarks.measurement.result_files import result, write_page, write_result
from benchmarks.robustness.conditions import CONDITIONS
from benchmarks.robustness.curves import curves, measured_threshold
from benchmarks.robustness.taking import take
from benchmarks.robustness.trials import (
    Sizes,
    applied_series,
    drawn_series,
    is_drawn,
    plan_trials,
)
from engine.decision.calibration import load_calibration
from engine.errors import EngineError
from engine.extract import load_extractor
from engine.settings import EngineSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.datasets.manifest import PalmSet

PROTOCOL: Final = "robustness-1"

FMR: Final = 1e-4

MEASURED: Final = "measured_fmr_1e-4"
STATED: Final = "stated_fmr_1e-4"
"""Thresholds: of the worst calibration set, and of a service with this TARGET_FMR."""

_console = Console(stderr=True, highlight=False)


def robustness(  # noqa: PLR0913 - the options of a command
    data: Annotated[Path, typer.Argument(help="Folder with a manifest.csv and pictures.")],
    out: Annotated[Path, typer.Option(help="Folder for the JSON and the page.")],
    condition: Annotated[
        list[str] | None,
        typer.Option(help="Only this condition; may be given several times."),
    ] = None,
    palms: Annotated[int, typer.Option(min=0, help="How many palms; 0: all.")] = 0,
    references: Annotated[int, typer.Option(min=1, help="Enrolled pictures of a palm.")] = 2,
    probes: Annotated[int, typer.Option(min=1, help="Probes of a palm.")] = 2,
    seed: Annotated[int, typer.Option(help="Seed of all random choices.")] = 1,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes; default: one per core.")
    ] = None,
) -> None:
    """Measure how misses grow with what makes pictures hard, at a fixed threshold.

    One side of each comparison is harmed. Pictures of a set are misplaced (shift, turn, size)
    and made worse (light, motion, noise, cut edges, near infrared); crops are misplaced within
    themselves, so their palm is then the inner 71 % of the crop, on both sides. A set drawn by
    thenar models vary shows poses and distances instead.

    The threshold is that of FMR 1e-4 as measured on the worst set of the extractor's
    calibration; beside it, that of a service with this TARGET_FMR (a tenth of the rate).
    Refused probes count as misses; FNMR without them is in the JSON.
    """
    try:
        taken_set = read_palm_set(data)
        require_pictures(taken_set)
        sizes = Sizes(palms, references, probes, seed)
        numbers = _measure(taken_set, sizes, condition or [], workers or os.cpu_count() or 1)
    except (DatasetFault, EngineError) as fault:
        _console.print(f"[red]{escape(str(fault))}[/]", soft_wrap=True)
        raise typer.Exit(code=1) from fault
    content = result(
        protocol=PROTOCOL,
        palms=taken_set,
        parameters={
            "palms": palms,
            "references": references,
            "probes": probes,
            "seed": seed,
        },
        numbers=numbers,
    )
    path = write_result(out, f"robustness-{taken_set.name}", content)
    _console.print(_table(content))
    _console.print(f"written to {path}", soft_wrap=True)
    said = write_page("benchmarks.robustness.page", path.with_suffix(".html"), content)
    _console.print(said, soft_wrap=True)


def _measure(
    palms: PalmSet, sizes: Sizes, names: Sequence[str], workers: int
) -> dict[str, Any]:
    extractor = load_extractor(EngineSettings()).extractor_id
    calibration = load_calibration(extractor)
    thresholds = {
        MEASURED: measured_threshold(calibration, FMR),
        STATED: calibration.threshold_for_fmr(FMR),
    }
    conditions = [one for one in CONDITIONS if not names or one.name in names]
    series = drawn_series(palms) if is_drawn(palms) else applied_series(conditions)
    series = [one for one in series if not names or one.name in names]
    if not series:
        raise DatasetFault(f"no such condition: {', '.join(names)}")
    trials = plan_trials(palms, sizes, conditions, series)
    made = take(trials, workers=workers)
    taken = [
        one
        for several in track(made, "taking templates", total=len(trials), console=_console)
        for one in several
    ]
    with Progress(console=_console) as progress:
        task = progress.add_task("comparing", total=sum(len(one.strengths) for one in series))
        lines = curves(taken, series, thresholds, lambda: progress.advance(task))
    return {
        "extractor": extractor,
        "thresholds": {name: round(value, 4) for name, value in thresholds.items()},
        "palms": len({one.identity for one in taken}),
        "curves": lines,
    }


def _table(content: dict[str, Any]) -> Table:
    table = Table("condition", "strength", "FTA", "missed or refused", "FNMR", "FMR", box=None)
    for curve in content["curves"]:
        for each in curve["points"]:
            at = each["at"][MEASURED]
            shares = (each["fta"], at["missed_or_refused"], at["fnmr"], at["fmr"])
            table.add_row(
                curve["condition"], f"{each['strength']:g}", *(_percent(one) for one in shares)
            )
    return table


def _percent(rate: dict[str, Any]) -> str:
    return "–" if rate["share"] is None else f"{100 * rate['share']:.3g} %"

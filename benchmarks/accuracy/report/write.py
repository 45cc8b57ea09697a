"""Measures sets of palms and writes their reports."""

from __future__ import annotations

import json
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from benchmarks.accuracy.report.page import render_overview, render_page
from benchmarks.accuracy.report.scores_file import write_scores
from benchmarks.accuracy.run import Options, measure, side_warning
from benchmarks.console import console, print_written
from benchmarks.datasets.manifest import DatasetFault, read_palm_set
from benchmarks.measurement.result_files import result, write_result
from engine.pipeline import load_pipeline
from engine.settings import EngineSettings

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.accuracy.run import Measured
    from benchmarks.datasets.manifest import PalmSet
    from engine.types import ExtractorId

PROTOCOL: Final = "accuracy-1"


def write_reports(data: list[Path], out: Path, options: Options) -> None:
    """Measure each set by itself; several get a folder each and a page that links them."""
    sets = [read_palm_set(place) for place in data]
    folders = _folders(sets, out)
    reports = [
        _report(one, options, folder, several=len(sets) > 1)
        for one, folder in zip(sets, folders, strict=True)
    ]
    if len(sets) > 1:
        names = [folder.name for folder in folders]
        pairs = list(zip(names, reports, strict=True))
        (out / "report.html").write_text(render_overview(pairs), "utf-8")
        (out / "report.json").write_text(json.dumps(dict(pairs), indent=2) + "\n", "utf-8")
    print_written(out / "report.html")


def _report(
    palms: PalmSet,
    options: Options,
    folder: Path,
    *,
    several: bool,
) -> dict[str, Any]:
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix=".scores-", dir=folder) as scratch,
        ProgressBars(palms.name) as progress,
    ):
        measured = measure(palms, options, Path(scratch), progress)
        content = result(
            protocol=PROTOCOL,
            palms=palms,
            parameters=_parameters(options, measured.extractor, several=several),
            numbers=measured.numbers,
        )
        _write_scores(folder / "scores.npz", measured, progress)
        done = progress.start("drawing the page", 1)
        pipeline = load_pipeline(EngineSettings())
        html = render_page(measured, options.methods, content, pipeline)
        done(1)
    write_result(folder, "report", content)
    (folder / "report.html").write_text(html, "utf-8")
    console.print(_table(measured))
    if warning := side_warning(content["acquisition"]):
        console.print(f"[yellow]{warning}[/]", soft_wrap=True)
    return content


def _write_scores(path: Path, measured: Measured, progress: ProgressBars) -> None:
    write_scores(
        path,
        measured.evaluations[0].name,
        measured.compared,
        measured.plan,
        measured.outcomes.failed_rows,
        progress.start("writing scores", 2 * int(measured.plan.comparison_counts().sum())),
    )


def _parameters(options: Options, extractor: ExtractorId, *, several: bool) -> dict[str, Any]:
    networks = options.methods.networks
    return {
        "methods": list(options.methods.names),
        "matchers": {one.name: one.digests() for one in options.methods.matchers},
        "networks": {path.name: sha256(path.read_bytes()).hexdigest() for path in networks},
        "extractor": extractor,
        "seed": options.seed,
        "workers": options.workers,
        "several_sets": several,
    }


def _folders(sets: list[PalmSet], out: Path) -> list[Path]:
    if len(sets) == 1:
        return [out]
    names = [one.name for one in sets]
    if len(set(names)) < len(names):
        raise DatasetFault("two sets have the same name; measure them one by one")
    return [out / name for name in names]


class ProgressBars:
    """A progress bar for each step, with the remaining time."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("· left"),
            TimeRemainingColumn(),
            console=console,
        )

    def __enter__(self) -> ProgressBars:
        """Show the bars."""
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop updating them."""
        self._bars.stop()

    def start(self, what: str, total: int) -> Callable[[int], None]:
        """Start a step. See ``benchmarks.accuracy.run.Progress``."""
        task = self._bars.add_task(f"{self._name}: {what}", total=total)

        def advance(count: int) -> None:
            self._bars.advance(task, count)

        return advance


def _table(measured: Measured) -> Table:
    fta = measured.numbers["acquisition"]["fta"]
    title = f"{measured.palms.name} · FTA {fta['count']} of {fta['total']}"
    headings = ("EER", "FNMR@1e-2", "@1e-3", "@1e-4", "GFRR@1e-4", "rank 1")
    caption = "(n): not supported, based on n errors only"
    table = Table("", *headings, title=title, caption=caption, box=None)
    for one in measured.evaluations:
        if one.rates is not None:
            table.add_row(one.name, *_cells(one.numbers))
    for name, failed in measured.numbers["matchers"].items():
        fta = failed["fta"]
        told = f"{name}: FTA {fta['count']} of {fta['total']}, counted as misses"
        table.caption = f"{table.caption}; {escape(told)}"
    negatives = measured.numbers["acquisition"]["negatives_taken_for_hands"]
    if negatives["total"]:
        taken = f"{negatives['count']} of {negatives['total']}"
        table.caption = f"{table.caption}; hands found in negatives: {taken}"
    return table


def _cells(numbers: dict[str, Any]) -> list[str]:
    points = numbers["operating_points"]
    rank_1 = numbers["identification"]["rank_1"]["share"]
    return [
        _percent(numbers["eer"]["value"]),
        *(_supported(point["fnmr"]) for point in points[:3]),
        _percent(points[2]["gfrr"]["share"]),
        "–" if rank_1 is None else _percent(rank_1),
    ]


def _supported(rate: dict[str, Any]) -> str:
    return _percent(rate["share"]) + ("" if rate["supported"] else f" ({rate['count']})")


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"

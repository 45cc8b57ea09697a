"""``thenar bench accuracy``: measure sets of palms and write the reports."""

from __future__ import annotations

import json
import os
import tempfile
from datetime import UTC, datetime
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.console import Console
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

from benchmarks.accuracy.report.scores_file import write_scores
from benchmarks.accuracy.run import Options, measure, side_warning
from benchmarks.accuracy.scoring.matcher import TIMEOUT_S, MatcherFault
from benchmarks.accuracy.scoring.methods import UnknownMethod, choose_methods, with_matchers
from benchmarks.datasets.manifest import DatasetFault, read_palm_set
from benchmarks.measurement.result_files import result, write_result
from engine.errors import EngineError
from engine.pipeline import load_pipeline
from engine.settings import EngineSettings

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.accuracy.run import Measured
    from benchmarks.datasets.manifest import PalmSet
    from engine.types import ExtractorId

PROTOCOL: Final = "accuracy-1"

_console = Console(stderr=True, highlight=False)


class PlotsMissing(Exception):
    """The extra ``bench`` is not installed."""


def accuracy(  # noqa: PLR0913 - the options of a command
    data: Annotated[
        list[Path],
        typer.Argument(
            help="Folders with a manifest.csv or one folder for each palm, or manifest files."
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder for report and scores.")],
    method: Annotated[
        list[str] | None,
        typer.Option(
            help="fused, code, code-without-shift, vector or FILE.onnx. May be given "
            "several times: the first is reported in full, all are in the table."
        ),
    ] = None,
    matcher: Annotated[
        list[str] | None,
        typer.Option(
            help="Command of your own matcher, as “python mine.py”; see below. May be given "
            "several times; they are reported before the methods."
        ),
    ] = None,
    *,
    baselines: Annotated[
        bool, typer.Option(help="Also compare the methods without a network.")
    ] = True,
    seed: Annotated[int, typer.Option(help="Seed of all random choices.")] = 1,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes; default: one per core.")
    ] = None,
    matcher_timeout_s: Annotated[
        float, typer.Option(min=0.1, help="Longest time of one comparison by a matcher.")
    ] = TIMEOUT_S,
) -> None:
    """Measure how often palms match others, or fail to match themselves.

    The manifest needs the columns path and identity (which palm: two hands of a person are two;
    empty: unknown, counts for FTA and as non-mated probe). Optional: hand (L or R; otherwise as
    detected), session (with several, gallery and probe are of different ones), kind (hand: is
    located, the default; roi: is already a crop; negative: must be refused) and subject (the
    person; otherwise the identity). A folder of folders, one for each palm, needs no manifest.
    Each set is measured by itself.

    A matcher's command gets two picture files as its last arguments, probe and reference, and
    prints a score as its last word: any number, higher is more similar. Exit status 3 says that
    a picture cannot be used. Another status, no number or a timeout ends the run and shows what
    it said on stderr. First each picture is compared with itself: status 3 is a failure to
    acquire, counted in the report; its comparisons get the lowest score. As many commands run
    at once as there are workers, each pair once, without a shell. Pictures that Thenar refuses
    are not given.

    Writes report.html and scores.npz, which show people and stay with the data, and
    report.json, which holds aggregates only. Several sets get a folder each.
    """
    try:
        page = _page_module()
        methods = with_matchers(
            choose_methods(method or ["fused"], baselines=baselines),
            matcher or [],
            matcher_timeout_s,
        )
        options = Options(methods, seed, workers or os.cpu_count() or 1)
        sets = [read_palm_set(place) for place in data]
        folders = _folders(sets, out)
        reports = [
            _report(one, options, folder, page, several=len(sets) > 1)
            for one, folder in zip(sets, folders, strict=True)
        ]
    except (DatasetFault, EngineError, MatcherFault, UnknownMethod, PlotsMissing) as fault:
        _console.print(f"[red]{escape(str(fault))}[/]", soft_wrap=True)
        raise typer.Exit(code=1) from fault
    if len(sets) > 1:
        names = [folder.name for folder in folders]
        pairs = list(zip(names, reports, strict=True))
        (out / "report.html").write_text(page.render_overview(pairs), "utf-8")
        (out / "report.json").write_text(json.dumps(dict(pairs), indent=2) + "\n", "utf-8")
    _console.print(f"written to {out / 'report.html'}", soft_wrap=True)


def _report(
    palms: PalmSet,
    options: Options,
    folder: Path,
    page: Any,  # noqa: ANN401
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
            at=datetime.now(UTC),  # noqa: TID251 -- the date of a result
        )
        _write_scores(folder / "scores.npz", measured, progress)
        done = progress.start("drawing the page", 1)
        pipeline = load_pipeline(EngineSettings())
        html = page.render_page(measured, options.methods, content, pipeline)
        done(1)
    write_result(folder, "report", content)
    (folder / "report.html").write_text(html, "utf-8")
    _console.print(_table(measured))
    if warning := side_warning(content["acquisition"]):
        _console.print(f"[yellow]{warning}[/]", soft_wrap=True)
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


def _page_module() -> Any:  # noqa: ANN401
    try:
        return import_module("benchmarks.accuracy.report.page")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "matplotlib":
            raise
        raise PlotsMissing("matplotlib is missing: pip install 'thenar[bench]'") from error


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
            console=_console,
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

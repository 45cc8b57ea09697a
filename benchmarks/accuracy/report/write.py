"""Measures sets of palms and writes their reports.

``scores.npz`` has every score with its pair, for recomputation, and stays with the data:
``mated``, ``nonmated`` (float32, higher is more similar), ``mated_pairs``, ``nonmated_pairs``
(int32, shape (count, 2): manifest rows of probe and reference, from 0), ``failed`` (int32: rows
without a template).
"""

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from benchmarks.accuracy.rates.checks import SHIPPED
from benchmarks.accuracy.report.page import render_overview, render_page
from benchmarks.accuracy.run import Measured, Options, StartStep, measure, side_warning
from benchmarks.console import Bars, console, print_written
from benchmarks.datasets import DatasetFault, PalmSet, merged, read_palm_set
from benchmarks.measurement import result, write_result
from benchmarks.report.page import percent
from engine.pipeline import load_pipeline
from engine.settings import EngineSettings
from engine.types import ExtractorId


def write_reports(data: list[Path], out: Path, options: Options, *, across: bool) -> None:
    """Measure each set by itself; several get a folder each and a page that links them.

    ``across``: all are one set.
    """
    sets = [read_palm_set(place) for place in data]
    if len({one.name for one in sets}) < len(sets):
        raise DatasetFault("two sets have the same name: rename a folder")
    if across:
        sets = [merged(sets)]
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


def _report(palms: PalmSet, options: Options, folder: Path, *, several: bool) -> dict[str, Any]:
    folder.mkdir(parents=True, exist_ok=True)
    with Bars() as bars:
        start_step = _progress_of(palms.name, bars)
        measured = measure(palms, options, start_step)
        content = result(
            protocol="accuracy-1",
            palms=palms,
            parameters=_parameters(options, measured.extractor, several=several),
            numbers=measured.numbers,
        )
        start_step("writing scores and page", 1)
        _write_scores(folder / "scores.npz", measured)
        pipeline = load_pipeline(EngineSettings())
        html = render_page(measured, options.methods, content, pipeline)
    write_result(folder, "report", content)
    (folder / "report.html").write_text(html, "utf-8")
    console.print(_table(measured))
    if warning := side_warning(content["acquisition"]):
        console.print(f"[yellow]{warning}[/]", soft_wrap=True)
    return content


def _write_scores(path: Path, measured: Measured) -> None:
    """Write the scores of the method that is reported in full."""
    compared, rows, method = measured.compared, measured.plan.rows, measured.evaluations[0].name
    np.savez_compressed(
        path,
        mated=compared.mated[method],
        mated_pairs=rows[compared.mated_pairs],
        nonmated=compared.nonmated[method],
        nonmated_pairs=rows[compared.nonmated_pairs],
        failed=np.array(measured.outcomes.failed_rows, np.int32),
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
    return [out / one.name for one in sets]


def _progress_of(name: str, bars: Bars) -> StartStep:
    def start(what: str, total: int) -> Callable[[int], None]:
        task = bars.add_task(f"{name}: {what}", total=total)
        return lambda count: bars.advance(task, count)

    return start


def _table(measured: Measured) -> Table:
    fta = measured.numbers["acquisition"]["fta"]
    title = f"{measured.palms.name} · FTA {fta['count']} of {fta['total']}"
    shipped = ["–", "–"]
    if points := measured.numbers.get("calibration"):
        shipped = [_observed(points[SHIPPED][kind]) for kind in ("fnmr", "fmr")]
    table = Table(
        "", "shipped: FNMR", "FMR, of 1e-4 stated", "own: EER", "FNMR@1e-3", "@1e-4",
        title=title, box=None,
    )  # fmt: skip
    for one in measured.evaluations:
        if one.rates is not None:
            points = [point["fnmr"] for point in one.numbers["operating_points"][1:3]]
            shares = [one.numbers["eer"]["value"], *(point["share"] for point in points)]
            table.add_row(one.name, *shipped, *map(percent, shares))
        shipped = ["–", "–"]
    return table


def _observed(rate: dict[str, Any]) -> str:
    return f"{percent(rate['share'])} ({rate['count']})"

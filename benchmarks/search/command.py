"""``thenar bench search``: measures galleries of several sizes and writes JSON and a page."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from benchmarks.datasets.manifest import DatasetFault
from benchmarks.mosaics import Mosaics, TooFewPalms
from benchmarks.peers import searcher_versions
from benchmarks.results import result, write_page, write_result
from benchmarks.search.drawn import (
    NETWORK_EXTRACTOR,
    PARENT_PALMS,
    DrawnPalms,
    read_palms,
)
from benchmarks.search.run import (
    MOST_COMPARED_ROWS,
    SEED,
    Options,
    measure_repeated,
    measure_size,
)
from benchmarks.speed import read_bandwidth
from engine.calibrate import load_calibration
from engine.errors import EngineError
from engine.extract import CLASSICAL_EXTRACTOR
from engine.parameters import COMPARED_GROUPS, SCANNED_ROWS, SHORT_LIST_ROWS
from engine.types import ExtractorId

SWITCH_INTERVAL_S = 0.0005
"""How long a Python thread may keep others waiting: a tenth of the default, so that a search
beside enrolments is timed and not the interpreter."""


class Extractor(StrEnum):
    """Whose vectors are searched."""

    CODE = CLASSICAL_EXTRACTOR
    NETWORK = NETWORK_EXTRACTOR


SIZES = [10_000, 100_000]
ROUND = 2_000
"""Sizes are multiples of it."""

_console = Console(stderr=True, highlight=False)


def search(  # noqa: PLR0913 - the options of a command
    data: Annotated[
        Path, typer.Argument(help="Folder made by “thenar models templates --views 3”.")
    ],
    out: Annotated[Path, typer.Option(help="Folder for the JSON and the page.")] = Path(
        "benchmarks/results"
    ),
    rows: Annotated[
        list[int],
        typer.Option(
            help=f"References enrolled; multiples of {ROUND}. Above two million: scans."
        ),
    ] = SIZES,
    extractor: Annotated[Extractor, typer.Option(help="Whose vectors.")] = Extractor.CODE,
    mates: Annotated[int, typer.Option(min=100, help="Mated probes for each size.")] = 10_000,
    runs: Annotated[int, typer.Option(min=10, help="Timed searches.")] = 1_000,
    flat_runs: Annotated[int, typer.Option(min=3, help="Timed exact scans.")] = 50,
    changes: Annotated[int, typer.Option(min=10, help="Timed changes.")] = 2_000,
    *,
    with_peers: Annotated[
        bool, typer.Option("--peers/--no-peers", help="Measure graphs and cells, too.")
    ] = True,
) -> None:
    """Measure one-to-many search: speed, memory, start, changes, and which mates are lost.

    Who asks is a drawn palm that is enrolled by two other pictures; the gallery is filled up
    with palms that are mixed from drawn ones (benchmarks/mosaics.py). Ratios hold within one
    run; CPU times are those of the calling thread.
    """
    if any(size < ROUND or size % ROUND for size in rows):
        raise typer.BadParameter(f"sizes are multiples of {ROUND}")
    try:
        drawn, palms = read_palms(data, ExtractorId(extractor))
        calibration = load_calibration(drawn.extractor)
    except (DatasetFault, EngineError, TooFewPalms) as fault:
        _console.print(f"[red]{fault}[/]", soft_wrap=True)
        raise typer.Exit(code=1) from fault
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    bandwidth = read_bandwidth()
    options = Options(mates, runs, flat_runs, changes, with_peers, bandwidth)
    mosaics = Mosaics(drawn.parents(), SEED)
    compared = [size for size in rows if size <= MOST_COMPARED_ROWS]
    sizes = [
        measure_size(size, mosaics, drawn, calibration, options, _console.print)
        for size in compared
    ]
    content = result(
        protocol="search",
        palms=palms,
        parameters=_parameters(options, drawn),
        numbers={
            "read_bandwidth_gb_per_s": round(bandwidth, 2),
            "load_average": [round(load, 2) for load in os.getloadavg()],
            "densified": mosaics.as_json(),
            "sizes": sizes,
            "larger": [
                measure_repeated(size, mosaics, drawn, options)
                for size in rows
                if size > MOST_COMPARED_ROWS
            ],
        },
        at=datetime.now(UTC),  # noqa: TID251 - the command is this benchmark's root
    )
    name = f"search-{drawn.extractor}-{'-'.join(map(str, rows))}"
    _console.print(f"written to {write_result(out, name, content)}", soft_wrap=True)
    _console.print(
        write_page("benchmarks.search.page", out / f"{name}.html", content), soft_wrap=True
    )
    for size in sizes:
        _console.print(_table(size))


def _parameters(options: Options, drawn: DrawnPalms) -> dict[str, Any]:
    """Return what the numbers depend on."""
    return {
        "extractor": drawn.extractor,
        "dimension": drawn.dimension,
        "drawn_palms": len(drawn),
        "mosaics_of_palms": min(len(drawn), PARENT_PALMS),
        "references_per_palm": 2,
        "scanned_rows": SCANNED_ROWS,
        "short_list_rows": SHORT_LIST_ROWS,
        "compared_groups": COMPARED_GROUPS,
        "mated_probes": options.mates,
        "timed_searches": options.runs,
        "timed_exact_scans": options.flat_runs,
        "seed": SEED,
        "switch_interval_s": SWITCH_INTERVAL_S,
        **searcher_versions(),
    }


def _table(size: dict[str, Any]) -> Table:
    """Return the scans of one size, for people."""
    table = Table("scan", "CPU ms", "× flat", "GB/s", "p99 ms", "mates missed", box=None)
    table.title = f"{size['rows']} rows"
    for scan in size["scans"]:
        missed = f"{scan['mates_not_in_short_list']} / {scan['mates_looked_for']}"
        one = scan["one_thread"]
        cells = (one["cpu_ms"], scan["times_faster"], scan["read_gb_per_s"], one["p99_ms"])
        table.add_row(scan["method"], *(f"{cell:.3g}" for cell in cells), missed)
    return table

"""``thenar bench search``: measure galleries of several sizes; write JSON and a page."""

from __future__ import annotations

import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.console import Console
from rich.table import Table

from benchmarks.datasets.manifest import DatasetFault
from benchmarks.measurement.result_files import result, write_page, write_result
from benchmarks.measurement.targets import target_table
from benchmarks.measurement.timing import read_bandwidth
from benchmarks.search.identification import TARGET_FPIR
from benchmarks.search.instructions import count_instructions
from benchmarks.search.large import measure_large
from benchmarks.search.options import Options
from benchmarks.search.peers.choose import Servers
from benchmarks.search.peers.scans import searcher_versions
from benchmarks.search.population.drawn import PARENT_PALMS, DrawnPalms, read_palms
from benchmarks.search.population.mosaics import Mosaics, TooFewPalms
from benchmarks.search.population.people import SEED
from benchmarks.search.run import measure_size
from benchmarks.search.targets import TARGET_ROWS, search_targets
from engine.decision.calibration import load_calibration, threshold_for_fpir
from engine.errors import EngineError
from engine.parameters import (
    COMPARED_GROUPS,
    SCANNED_ROWS,
    SCANNED_SHARE,
    SHORT_LIST_ROWS,
)

if TYPE_CHECKING:
    from engine.decision.calibration import Calibration

SWITCH_INTERVAL_S = 0.0005
"""Longest time a Python thread keeps others waiting, a tenth of the default: otherwise a search
beside enrolments would time the interpreter.
"""


SIZES = [10_000, 100_000]
MOST_COMPARED_ROWS: Final = 2_000_000
"""Largest gallery with an exact scan of floats as baseline; above, the time to read the rows.
"""

TARGET_FMR: Final = 1e-4

DIGEST_LETTERS: Final = 12
"""Of the palms' digest, in names of cached indexes: other palms are another gallery."""

ROUND = 2_000
"""Sizes are multiples of it."""

_console = Console(stderr=True, highlight=False)


def search(  # noqa: PLR0913 - the options of a command
    data: Annotated[
        Path, typer.Argument(help="Output of “thenar models templates --views 3”.")
    ],
    out: Annotated[Path, typer.Option(help="Folder for the JSON and the page.")] = Path(
        "benchmarks/results"
    ),
    rows: Annotated[
        list[int],
        typer.Option(
            help=f"References to enrol; multiples of {ROUND}. Above two million: no exact scan."
        ),
    ] = SIZES,
    mates: Annotated[int, typer.Option(min=100, help="Mated probes for each size.")] = 10_000,
    runs: Annotated[int, typer.Option(min=10, help="Timed searches.")] = 1_000,
    flat_runs: Annotated[int, typer.Option(min=3, help="Timed exact scans.")] = 50,
    changes: Annotated[int, typer.Option(min=10, help="Timed changes.")] = 2_000,
    *,
    with_peers: Annotated[
        bool, typer.Option("--peers/--no-peers", help="Also measure other searchers.")
    ] = True,
    pgvector: Annotated[
        str | None, typer.Option(help="Database with the extension vector: postgresql://…")
    ] = None,
    milvus: Annotated[str | None, typer.Option(help="Milvus server: http://HOST:PORT")] = None,
    kept: Annotated[
        Path | None,
        typer.Option(help="Folder to keep the peers' indexes for the next run."),
    ] = None,
) -> None:
    """Measure one-to-many search: speed, memory, start, changes, and lost mates.

    Probes are drawn palms, each enrolled with two other pictures. The gallery is filled with
    palms mixed from drawn ones (benchmarks/search/population/mosaics.py). Compare times within
    one run only: CPU times are those of the calling thread.
    """
    if any(size < ROUND or size % ROUND for size in rows):
        raise typer.BadParameter(f"sizes are multiples of {ROUND}")
    try:
        drawn, palms = read_palms(data)
        calibration = load_calibration(drawn.extractor)
    except (DatasetFault, EngineError, TooFewPalms) as fault:
        _console.print(f"[red]{fault}[/]", soft_wrap=True)
        raise typer.Exit(code=1) from fault
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    if kept is not None:
        kept = kept / palms.digest[:DIGEST_LETTERS]
        kept.mkdir(parents=True, exist_ok=True)
    servers = Servers(pgvector, milvus) if with_peers else None
    options = Options(mates, runs, flat_runs, changes, servers, kept, read_bandwidth())
    mosaics = Mosaics(drawn.parents(), SEED)
    sizes = [
        measure_size(
            size, mosaics, drawn, _thresholds(calibration, size), options, _console.print
        )
        for size in rows
        if size <= MOST_COMPARED_ROWS
    ]
    larger = [
        measure_large(
            size, mosaics, drawn, _thresholds(calibration, size), options, _console.print
        )
        for size in rows
        if size > MOST_COMPARED_ROWS
    ]
    targets = {size["rows"]: search_targets(size) for size in sizes}
    content = result(
        protocol="search",
        palms=palms,
        parameters=_parameters(options, drawn),
        numbers={
            "read_bandwidth_gb_per_s": round(options.bandwidth, 2),
            "load_average": [round(load, 2) for load in os.getloadavg()],
            "instructions": count_instructions(drawn.dimension),
            "densified": mosaics.as_json(),
            "sizes": sizes,
            "larger": larger,
            "bars": [target.as_json() for target in targets.get(TARGET_ROWS, [])],
        },
        at=datetime.now(UTC),  # noqa: TID251 - the command is this benchmark's root
    )
    _write(out, f"search-{drawn.extractor}-{'-'.join(map(str, rows))}", content)
    for size in sizes:
        _console.print(_table(size))
        _console.print(target_table(_bars_title(size["rows"]), targets[size["rows"]]))
    told = content["instructions"]
    _console.print(f"instructions of a search in {told['rows']} rows: {_instructions(told)}")


def _bars_title(rows: int) -> str:
    held = "" if rows == TARGET_ROWS else f", held against {rows:,}"
    return f"bars of a million rows{held}"


def _thresholds(calibration: Calibration, rows: int) -> dict[str, float]:
    return {
        f"fpir_{TARGET_FPIR:g}": threshold_for_fpir(calibration, TARGET_FPIR, rows),
        f"fmr_{TARGET_FMR:g}": calibration.threshold_for_fmr(TARGET_FMR),
    }


def _write(out: Path, name: str, content: dict[str, Any]) -> None:
    stem = f"search-{content['parameters']['extractor']}-"
    written = write_result(out, name, content)
    others = [path for path in sorted(out.glob(f"{stem}*.json")) if path != written]
    beside = [json.loads(path.read_text("utf-8")) for path in others]
    _console.print(f"written to {written}", soft_wrap=True)
    page = write_page(
        "benchmarks.search.report.page", out / f"{name}.html", {**content, "others": beside}
    )
    _console.print(page, soft_wrap=True)


def _instructions(told: dict[str, Any]) -> str:
    return told["why"] if told["a_search"] is None else f"{told['a_search']:,}"


def _parameters(options: Options, drawn: DrawnPalms) -> dict[str, Any]:
    return {
        "extractor": drawn.extractor,
        "dimension": drawn.dimension,
        "drawn_palms": len(drawn),
        "mosaics_of_palms": min(len(drawn), PARENT_PALMS),
        "references_per_palm": 2,
        "scanned_rows": SCANNED_ROWS,
        "scanned_share": SCANNED_SHARE,
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
    columns = ("scan", "ms", "clock", "× flat", "GB/s", "p50 ms", "p99 ms", "mates lost")
    table = Table(*columns, box=None, title=f"{size['rows']} rows")
    for scan in size["scans"]:
        one, lost = scan["one_thread"], f"{scan['mates_lost']} / {scan['mates_near']}"
        read = f"{scan['read_gb_per_s']:.3g}" if scan["row_octets_read"] else ""
        cells = (f"{scan['latency_ms']:.3g}", scan["clock"], f"{scan['times_faster']:.3g}")
        waits = (f"{one['p50_ms']:.3g}", f"{one['p99_ms']:.3g}")
        table.add_row(scan["method"], *cells, read, *waits, lost)
    for peer in size["left_out"]:
        table.add_row(f"{peer['name']}: left out, {peer['why']}")
    return table

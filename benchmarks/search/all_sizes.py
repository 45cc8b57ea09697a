"""Measures galleries of several sizes; writes the JSON and the page, prints tables."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console
from rich.table import Table

from benchmarks.measurement.result_files import result, write_page, write_result
from benchmarks.measurement.targets import target_table
from benchmarks.search.identification import TARGET_FPIR
from benchmarks.search.instructions import count_instructions
from benchmarks.search.large import measure_large
from benchmarks.search.peers.scans import searcher_versions
from benchmarks.search.population.drawn import PARENT_PALMS, DrawnPalms, read_palms
from benchmarks.search.population.mosaics import Mosaics
from benchmarks.search.population.people import SEED
from benchmarks.search.run import measure_size
from benchmarks.search.targets import TARGET_ROWS, search_targets
from engine.decision.calibration import load_calibration, threshold_for_fpir
from engine.parameters import (
    COMPARED_GROUPS,
    SCANNED_ROWS,
    SCANNED_SHARE,
    SHORT_LIST_ROWS,
)

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.search.options import Options
    from engine.decision.calibration import Calibration

SWITCH_INTERVAL_S = 0.0005
"""Longest time a Python thread keeps others waiting, a tenth of the default: otherwise a search
beside enrolments would time the interpreter.
"""


MOST_COMPARED_ROWS: Final = 2_000_000
"""Largest gallery with an exact scan of floats as baseline; above, the time to read the rows.
"""

TARGET_FMR: Final = 1e-4

DIGEST_LETTERS: Final = 12
"""Of the palms' digest, in names of cached indexes: other palms are another gallery."""

_console = Console(stderr=True, highlight=False)


def measure_sizes(data: Path, out: Path, rows: list[int], options: Options) -> None:
    """Measure a gallery of each size, write the result, print it.

    Raises:
        DatasetFault: ``data`` holds no templates of drawn palms, or too few.
        EngineError: their extractor has no calibration.
    """
    drawn, palms = read_palms(data)
    calibration = load_calibration(drawn.extractor)
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    cache = options.cache
    if cache is not None:
        cache = cache / palms.digest[:DIGEST_LETTERS]
        cache.mkdir(parents=True, exist_ok=True)
    options = replace(options, cache=cache)
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

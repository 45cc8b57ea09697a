"""``thenar bench search``: measure galleries of several sizes; write JSON and a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from benchmarks.datasets.manifest import DatasetFault
from benchmarks.search.options import Options, Servers
from engine.errors import EngineError

SIZES = [10_000, 100_000]

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
    # Slow to load, and --help needs none of it.
    from benchmarks.measurement.timing import read_bandwidth  # noqa: PLC0415
    from benchmarks.search.all_sizes import measure_sizes  # noqa: PLC0415

    servers = Servers(pgvector, milvus) if with_peers else None
    options = Options(mates, runs, flat_runs, changes, servers, kept, read_bandwidth())
    try:
        measure_sizes(data, out, rows, options)
    except (DatasetFault, EngineError) as fault:
        _console.print(f"[red]{fault}[/]", soft_wrap=True)
        raise typer.Exit(code=1) from fault

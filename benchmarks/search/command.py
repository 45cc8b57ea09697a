"""``thenar bench search``: its options."""

from pathlib import Path
from typing import Annotated

import typer

from benchmarks.console import reported_faults, require_plots

SIZES = [10_000, 100_000]

ROUND = 2_000
"""Sizes are multiples of it."""


def search(  # noqa: PLR0913 - the options of a command
    data: Annotated[
        Path, typer.Argument(help="Output of “thenar models templates --views 3”.")
    ],
    out: Annotated[Path, typer.Option(help="Folder for the JSON and the page.")] = Path(
        "artefacts/search"
    ),
    rows: Annotated[
        list[int], typer.Option(help=f"References to enrol; multiples of {ROUND}.")
    ] = SIZES,
    mates: Annotated[int, typer.Option(min=100, help="Mated probes for each size.")] = 10_000,
    runs: Annotated[int, typer.Option(min=10, help="Timed searches and changes.")] = 1_000,
    exact_runs: Annotated[
        int, typer.Option(min=0, help="Timed exact scans; 0: none, nor their memory or a page.")
    ] = 50,
    *,
    peers: Annotated[bool, typer.Option(help="Also measure FAISS's HNSW and RaBitQ.")] = True,
    milvus: Annotated[
        str | None,
        typer.Option(help="Measure a gallery on this server instead: http://HOST:PORT"),
    ] = None,
) -> None:
    """Measure one-to-many search: speed, memory, start, changes, and lost mates.

    Probes are drawn palms, each enrolled with two other pictures. The gallery is on disk, as in
    the service, and is filled with palms mixed from drawn ones. FAISS's exact scan of all rows
    is the baseline, timed in turn with the gallery. Compare times within one run only: CPU
    times are those of the calling thread. The JSON is written after each step: an interrupted
    run keeps what it has.

    With --milvus the gallery is on a server, is named “bench” and is removed at the end. Its
    times are those that a caller waits, as the server's CPU time is not known here.
    """
    if any(size < ROUND or size % ROUND for size in rows):
        raise typer.BadParameter(f"sizes are multiples of {ROUND}")
    with reported_faults():
        require_plots()
        # Slow to load, and --help needs none of it.
        from benchmarks.search.run import Options, measure_sizes  # noqa: PLC0415

        measure_sizes(data, out, rows, Options(mates, runs, exact_runs, peers, milvus))

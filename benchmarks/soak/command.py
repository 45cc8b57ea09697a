"""``thenar bench soak``: kills, flipped bits, concurrency and a start on a real disk."""

from __future__ import annotations

import os
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress

from benchmarks.measurement.result_files import machine, revision, write_result

_console = Console(stderr=True, highlight=False)


def soak(
    out: Annotated[Path, typer.Option(help="Folder for the JSON.")] = Path(
        "benchmarks/results"
    ),
    kills: Annotated[int, typer.Option(min=1, help="Processes to kill.")] = 1_000,
    flips: Annotated[int, typer.Option(min=1, help="Bits to flip.")] = 1_000,
    crowd_s: Annotated[float, typer.Option(min=1, help="Seconds of concurrent use.")] = 60,
    start_rows: Annotated[
        int, typer.Option(min=1, help="Rows of the start benchmark.")
    ] = 1_000_000,
    seed: Annotated[int, typer.Option(help="Seed of all random choices.")] = 1,
) -> None:
    """Stress a gallery on disk; count losses, resurrections, wrong answers, unnoticed damage.

    Exits with 1 if there are any.
    """
    # Slow to load, and --help needs none of it.
    from benchmarks.soak import run  # noqa: PLC0415

    with Progress(console=_console) as bar:
        soaked = run.soak(kills, flips, crowd_s, start_rows, seed, bar)
    written = write_result(out, "soak", _content(asdict(soaked), seed))
    _console.print(f"written to {written}", soft_wrap=True)
    if soaked.faults:
        _console.print(f"[red]{soaked.faults} faults[/]")
        raise typer.Exit(code=1)


def _content(numbers: dict[str, dict[str, Any]], seed: int) -> dict[str, Any]:
    return {
        "protocol": "soak",
        "date": f"{datetime.now(UTC):%Y-%m-%d}",  # noqa: TID251 - this benchmark's root
        "parameters": {"seed": seed},
        "code": revision(),
        "machine": machine(),
        "load_average": [round(load, 2) for load in os.getloadavg()],
        **numbers,
    }

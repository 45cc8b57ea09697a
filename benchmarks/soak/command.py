"""``thenar bench soak``: kills, flipped bits, concurrency and a start on a real disk."""

from __future__ import annotations

import os
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Final

import typer
from rich.console import Console
from rich.progress import Progress

from benchmarks.measurement.result_files import machine, revision, write_result

_START_DIMENSION: Final = 384

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
    from benchmarks.measurement.gallery_start import measure_start_in_process  # noqa: PLC0415
    from benchmarks.soak.bit_flips import flip_bits  # noqa: PLC0415
    from benchmarks.soak.concurrency import run_concurrently  # noqa: PLC0415
    from benchmarks.soak.kills import kill_repeatedly  # noqa: PLC0415
    from benchmarks.soak.workload import open_gallery  # noqa: PLC0415

    with TemporaryDirectory(prefix="soak-") as folder, Progress(console=_console) as bar:
        folders = {name: Path(folder) / name for name in ("kills", "flips", "crowd")}
        for subfolder in folders.values():
            subfolder.mkdir()
        killing = bar.add_task("kills", total=kills)
        killed = kill_repeatedly(
            folders["kills"], kills, seed=seed, told=lambda: bar.advance(killing)
        )
        flipping = bar.add_task("flipped bits", total=flips)
        flipped = flip_bits(
            folders["flips"], flips, seed=seed, told=lambda: bar.advance(flipping)
        )
        gallery, file = open_gallery(folders["crowd"], 0)
        concurrency = run_concurrently(gallery, crowd_s)
        file.close()
        started = measure_start_in_process(start_rows, _START_DIMENSION)
    parts: dict[str, Any] = {
        "kills": killed,
        "flips": flipped,
        "crowd": concurrency,
        "start": started,
    }
    content = _content({name: asdict(part) for name, part in parts.items()}, seed)
    _console.print(f"written to {write_result(out, 'soak', content)}", soft_wrap=True)
    unnoticed = flipped.flips - flipped.noticed - flipped.harmless
    bad = killed.lost + killed.resurrected + killed.rolled_back + killed.damaged
    bad += unnoticed + flipped.served_wrong + concurrency.unexplained + concurrency.faults
    if bad:
        _console.print(f"[red]{bad} faults[/]")
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

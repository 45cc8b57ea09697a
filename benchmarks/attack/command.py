"""``thenar bench attack``: its options."""

from pathlib import Path
from typing import Annotated

import typer

from benchmarks.console import reported_faults


def attack(
    data: Annotated[Path, typer.Argument(help="Folder from thenar models present.")],
    out: Annotated[Path, typer.Option(help="Folder for the JSON and the page.")],
    kept: Annotated[
        Path, typer.Option(help="Folder for observations; an interrupted run continues.")
    ],
    pictures: Annotated[
        list[Path] | None,
        typer.Option(help="Sets of bona fide hands, for the detector of single pictures."),
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
) -> None:
    """Measure how many drawn attacks pass for living palms, and how many palms do not.

    Writes APCER of each species, worst first, with BPCER, non-responses, IAPAR with
    and without detection, and times; the page shows frames of the worst session of each kind.
    """
    with reported_faults():
        # Slow to load, and --help needs none of it.
        from benchmarks.attack.run import measure_sessions  # noqa: PLC0415

        measure_sessions(data, out, kept, pictures or [], jobs)

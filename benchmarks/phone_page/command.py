"""``thenar bench page``: its options."""

import os
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.console import reported_faults


def page(
    data: Annotated[
        Path, typer.Argument(help="Folder with manifest.csv, from thenar models draw.")
    ],
    out: Annotated[Path, typer.Option(help="Folder for the JSON and the page.")],
    logins: Annotated[int, typer.Option(min=2, help="Sign-ins to time.")] = 20,
    judged: Annotated[int, typer.Option(min=1, help="Sign-ins by a challenge to time.")] = 20,
    cores: Annotated[int, typer.Option(min=0, help="CPU cores to use; 0: all.")] = 2,
    chromium: Annotated[Path, typer.Option(help="Path of Chromium.")] = Path(
        "/usr/bin/chromium"
    ),
) -> None:
    """Time sign-ins with the phone's page, measure a first visit.

    Service and browsers share the cores. Build the page first. Exits with 1 if a target is
    missed.
    """
    if cores:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
    with reported_faults():
        # Slow to load, and --help needs none of it.
        from benchmarks.phone_page.measured import Counts, measure_page  # noqa: PLC0415

        holds = measure_page(data, out, chromium, Counts(logins, judged, cores))
    if not holds:
        raise typer.Exit(code=1)

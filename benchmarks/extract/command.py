"""``thenar bench extract``: its options."""

from pathlib import Path
from typing import Annotated

import typer

from benchmarks.console import reported_faults


def extract(
    data: Annotated[Path, typer.Argument(help="Folder with manifest.csv and pictures.")],
    out: Annotated[Path, typer.Option(help="Folder for the JSON.")],
    pictures: Annotated[int, typer.Option(min=16, help="Pictures to time.")] = 64,
    long_side: Annotated[int, typer.Option(min=320, help="Their long side, pixels.")] = 1600,
) -> None:
    """Time decoding, locating and extracting.

    Pictures of hands are scaled to one size and encoded as JPEG, as a phone sends them. One
    thread.
    """
    with reported_faults():
        # Slow to load, and --help needs none of it.
        from benchmarks.extract.run import measure_stages  # noqa: PLC0415

        measure_stages(data, out, pictures, long_side)

"""``thenar bench robustness``: its options."""

import os
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.console import reported_faults, require_plots


def robustness(  # noqa: PLR0913 - the options of a command
    data: Annotated[Path, typer.Argument(help="Folder with a manifest.csv and pictures.")],
    out: Annotated[Path, typer.Option(help="Folder for the JSON and the page.")],
    condition: Annotated[
        list[str] | None,
        typer.Option(help="Only this condition, or family as cover; several times."),
    ] = None,
    palms: Annotated[int, typer.Option(min=0, help="How many palms; 0: all.")] = 0,
    references: Annotated[int, typer.Option(min=1, help="Enrolled pictures of a palm.")] = 2,
    probes: Annotated[int, typer.Option(min=1, help="Probes of a palm.")] = 2,
    seed: Annotated[int, typer.Option(help="Seed of all random choices.")] = 1,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes; default: one per core.")
    ] = None,
) -> None:
    """Measure how misses grow with what makes pictures hard, at a fixed threshold.

    One side of each comparison is harmed. Pictures of a set are misplaced (shift, turn, size)
    and made worse (light, motion, noise, cut edges, near infrared); crops are misplaced within
    themselves, so their palm is then the inner 71 % of the crop, on both sides. Ten kinds of
    things are drawn on palms, loosely placed, the same on all. A set drawn by thenar models
    vary shows poses and distances instead.

    The threshold is the one that ships for a stated FMR of 1e-4; beside it, where the worst set
    of the extractor's calibration has that rate (ten times as many false matches).
    Refused probes count as misses; FNMR without them is in the JSON, as are probes of different
    palms that match each other, and palms that all their probes miss (the references paid for).
    """
    with reported_faults():
        require_plots()
        # Slow to load, and --help needs none of it.
        from benchmarks.robustness.run import measure_set  # noqa: PLC0415
        from benchmarks.robustness.trials import Sizes  # noqa: PLC0415

        sizes = Sizes(palms, references, probes, seed)
        measure_set(data, out, sizes, condition or [], workers or os.cpu_count() or 1)

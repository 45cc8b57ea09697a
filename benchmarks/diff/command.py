"""``thenar bench diff``: its options."""

from pathlib import Path
from typing import Annotated

import typer

Result = Annotated[
    Path,
    typer.Argument(exists=True, dir_okay=False, help="A result: NAME.json or report.json."),
]


def diff(
    old: Result,
    new: Result,
    *,
    tolerance: Annotated[
        float,
        typer.Option(min=0, max=1, help="Half of the relative interval of times and ratios."),
    ] = 0.1,
) -> None:
    """Compare two results; exit with status 1 if something got worse beyond its interval.

    For results of accuracy, search, extract and oidc on the same data. Of accuracy, the method
    that is reported in full is compared. The interval of a difference comes from both results'
    95 % intervals. Times and ratios have none: they get --tolerance on either side; compare
    times of one machine only. Several quantities are judged: one in forty gets worse by chance.

    Exit status 2: the files are no such results, or of different benchmarks or data.
    """
    # Slow to load, and --help needs none of it.
    from benchmarks.diff.table import print_changes  # noqa: PLC0415

    raise typer.Exit(print_changes(old, new, tolerance))

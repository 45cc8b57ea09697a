"""``thenar bench calibrate``: its options."""

from pathlib import Path
from typing import Annotated

import typer

from benchmarks.console import print_written, reported_faults


def calibrate(
    out: Annotated[Path, typer.Option(help="The TOML file to write.")],
    data: Annotated[
        list[Path] | None, typer.Argument(help="Folders with manifest.csv and pictures.")
    ] = None,
    drawn: Annotated[
        list[Path] | None,
        typer.Option(help="Output of thenar models templates. May be given several times."),
    ] = None,
    results: Annotated[Path | None, typer.Option(help="With --drawn: folder for JSON.")] = None,
    pictures_per_palm: Annotated[int, typer.Option(min=1, help="Most pictures per palm.")] = 10,
) -> None:
    """Fit the table score → FMR that thresholds come from, one fit for each set.

    A new extractor needs two runs with the same --out, in engine/decision/calibrations/. The
    first, with --drawn, fits how far vectors may lower scores: each palm needs two views, as
    far apart as in pictures, so draw some with a wide --shift, too. The second, with sets of
    pictures, fits the thresholds of these scores.
    """
    # Slow to load, and --help needs none of it.
    from benchmarks.calibration.fit import fit_sets  # noqa: PLC0415
    from benchmarks.calibration.fusion import fit_fusion  # noqa: PLC0415

    if bool(data) == bool(drawn):
        raise typer.BadParameter("give sets of pictures or --drawn")
    with reported_faults():
        if drawn:
            fit_fusion(drawn, out, results or out.parent)
        else:
            fit_sets(data or [], out, pictures_per_palm)
    print_written(out)

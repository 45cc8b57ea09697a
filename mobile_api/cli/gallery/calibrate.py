"""``thenar gallery calibrate``: thresholds for galleries of several sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.table import Table

from mobile_api.cli.error_messages import report_errors
from mobile_api.cli.gallery.opening import answers, console

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.decision.calibration import Calibration
    from mobile_api.recognition.thresholds import OperatingPoint

SIZES: Final = (100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000)
"""References per side shown by default."""


def calibrate(
    rows: Annotated[
        list[int] | None, typer.Option(min=1, help="References of one hand. Repeatable.")
    ] = None,
    target_fpir: Annotated[
        float | None, typer.Option(help="Target, instead of THENAR_ENGINE_TARGET_FPIR.")
    ] = None,
    samples: Annotated[int, typer.Option(min=1, help="Samples per login.")] = 1,
    *,
    extrapolate: Annotated[
        bool, typer.Option("--extrapolate", help="Also show rates that no comparison supports.")
    ] = False,
) -> None:
    """Show threshold and FNIR for galleries of several sizes.

    Rates are upper bounds for people who may show both palms. FNIR is for one reference per
    palm on the calibration's worst set. A rate too low for the calibration's comparisons is not
    shown, and with --rows refused (status 1), unless you allow extrapolation, as the service
    has to.
    """
    from engine.decision.calibration import load_calibration  # noqa: PLC0415 - not for help
    from engine.pipeline import load_pipeline  # noqa: PLC0415
    from engine.settings import EngineSettings  # noqa: PLC0415
    from mobile_api.recognition.thresholds import operating_point  # noqa: PLC0415

    with report_errors(console):
        settings = EngineSettings()
        extractor = load_pipeline(settings).extractor.extractor_id
        calibration = load_calibration(extractor, own=settings.calibration)
        wanted = settings.target_fpir if target_fpir is None else target_fpir
        sizes = [operating_point(calibration, wanted, each, samples) for each in rows or SIZES]
    refused = [size for size in sizes if size.is_extrapolated and not extrapolate]
    answers.print(_threshold_table(sizes, wanted, extrapolate=extrapolate))
    answers.print(
        f"extractor {calibration.extractor}, fitted on {_calibration_sets(calibration)}"
    )
    if refused:
        console.print(
            f"The calibration made too few comparisons to show FPIR {wanted:g} for"
            f" {len(refused)} of these sizes. The service extrapolates there; --extrapolate"
            " shows its thresholds. A higher --target-fpir, or a calibration with more"
            " palms, needs no extrapolation."
        )
        raise typer.Exit(1 if rows else 0)


def _threshold_table(
    sizes: Sequence[OperatingPoint], target_fpir: float, *, extrapolate: bool
) -> Table:
    columns = "references", "FMR", "threshold", "FNIR at most", ""
    table = Table(*columns, title=f"FPIR {target_fpir:g}", box=None)
    for size in sizes:
        row = [f"{size.rows:,}", f"{size.fmr:.1e}"]
        if size.is_extrapolated and not extrapolate:
            table.add_row(*row, "–", "–", "no evidence")
            continue
        fnir = "unknown" if size.fnir is None else f"{100 * size.fnir:.2g} %"
        mark = "extrapolated" if size.is_extrapolated else ""
        threshold = f"{size.threshold:.4f}" if size.threshold <= 1 else "no score"
        table.add_row(*row, threshold, fnir, mark)
    return table


def _calibration_sets(calibration: Calibration) -> str:
    return ", ".join(f"{fit.data} ({fit.comparisons:,})" for fit in calibration.non_mated)

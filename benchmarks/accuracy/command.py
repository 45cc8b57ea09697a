"""``thenar bench accuracy`` and ``thenar bench scores``: their options."""

import os
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.console import reported_faults, require_plots


def accuracy(  # noqa: PLR0913 - the options of a command
    data: Annotated[
        list[Path],
        typer.Argument(
            help="Folders with a manifest.csv or one folder for each palm, or manifest files."
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder for report and scores.")],
    method: Annotated[
        list[str] | None,
        typer.Option(
            help="fused, code, vector or FILE.onnx, a palm graph. May be given "
            "several times: the first is reported in full, all are in the table."
        ),
    ] = None,
    matcher: Annotated[
        list[str] | None,
        typer.Option(
            help="Command of your own matcher, as “python mine.py”; see below. May be given "
            "several times; they are reported before the methods."
        ),
    ] = None,
    *,
    baselines: Annotated[
        bool, typer.Option(help="Also compare the methods without a network.")
    ] = True,
    seed: Annotated[int, typer.Option(help="Seed of all random choices.")] = 1,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes; default: one per core.")
    ] = None,
    matcher_timeout_s: Annotated[
        float, typer.Option(min=0.1, help="Longest time of one comparison by a matcher.")
    ] = 60.0,
    by: Annotated[
        list[str] | None,
        typer.Option(help="Column of the manifest: results for each of its values, too."),
    ] = None,
    across: Annotated[bool, typer.Option(help="Measure all sets as one; see below.")] = False,
) -> None:
    """Measure how often palms match others, or fail to match themselves.

    The manifest needs the columns path and identity (which palm: two hands of a person are two;
    empty: unknown, counts for FTA and as non-mated probe). Optional: hand (L or R; otherwise as
    detected), session (with several, gallery and probe are of different ones), kind (hand: is
    located, the default; roi: is already a crop; negative: must be refused) and subject (the
    person; otherwise the identity). A folder of folders, one for each palm, needs no manifest.
    Each set is measured by itself and named by its folder, or by a manifest of another name.
    --by may be given several times; a comparison counts for its probe's value, which
    report.json then holds.

    A matcher is a program that reads pairs, a line of two picture files with a tab between
    them, and answers each with a line: a number, higher is more similar, or nan if it cannot
    use a picture. Another answer, an end or a timeout ends the run and shows what it said on
    stderr. First each picture is compared with itself: nan is a failure to acquire, counted in
    the report; its comparisons get the lowest score. One program runs for each worker, without
    a shell. Pictures that Thenar refuses are not given.

    Writes report.html and scores.npz, which show people and stay with the data, and
    report.json, which holds aggregates only. Several sets get a folder each.

    With --across, all sets are one, without sessions, and every picture is compared with all
    others of that hand, whichever set they are from: few sets alone have the million non-mated
    comparisons that an FMR of 1e-6 needs. Palms of different sets must be different ones.
    Pictures of two sensors are easier to tell apart, and mated ones of one session too easy:
    take the FMR at the calibration's thresholds from it, nothing else.
    """
    with reported_faults():
        require_plots()
    # Slow to load, and --help needs none of it.
    from benchmarks.accuracy.report.write import write_reports  # noqa: PLC0415
    from benchmarks.accuracy.run import Options  # noqa: PLC0415
    from benchmarks.accuracy.scoring.methods import choose_methods, with_matchers  # noqa: PLC0415

    with reported_faults():
        methods = with_matchers(
            choose_methods(method or ["fused"], baselines=baselines),
            matcher or [],
            matcher_timeout_s,
        )
        options = Options(methods, seed, workers or os.cpu_count() or 1, tuple(by or ()))
        write_reports(data, out, options, across=across)


def scores(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="A file of two columns, score and mated (1 or 0); or two files of scores, "
            "mated and non-mated; or scores.npz of bench accuracy."
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder for report, curves and scores.")],
) -> None:
    """Evaluate comparison scores of other programs, and write them as pyeer reads them.

    Columns have a comma or spaces between them and no heading; a higher score is more similar.
    Intervals take comparisons as
    independent. Writes report.json, det.svg and roc.svg, and for pyeer's geteerinf genuine.txt
    and impostor.txt. Score files tell of people: keep them with the data.
    """
    with reported_faults():
        require_plots()
        from benchmarks.accuracy.given_scores import evaluate  # noqa: PLC0415 - slow to load

        evaluate(files, out)

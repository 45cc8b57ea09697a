"""The options of each ``thenar bench`` command; the work is loaded when one runs."""

import os
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.console import print_written, reported_faults


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
            help="claimed, fused, code, vector or FILE.onnx, a palm graph. May be given "
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
        # Slow to load, and --help needs none of it.
        from benchmarks.accuracy.report.write import write_reports  # noqa: PLC0415
        from benchmarks.accuracy.run import Options  # noqa: PLC0415
        from benchmarks.accuracy.scoring import matcher as known  # noqa: PLC0415

        methods = known.with_matchers(
            known.choose_methods(method or ["claimed", "fused"], baselines=baselines),
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
        from benchmarks.accuracy.given_scores import evaluate  # noqa: PLC0415 - slow to load

        evaluate(files, out)


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
        # Slow to load, and --help needs none of it.
        from benchmarks.robustness.run import measure_set  # noqa: PLC0415
        from benchmarks.robustness.trials import Sizes  # noqa: PLC0415

        sizes = Sizes(palms, references, probes, seed)
        measure_set(data, out, sizes, condition or [], workers or os.cpu_count() or 1)


def journey(  # noqa: PLR0913 -- each is an option
    data: Annotated[Path, typer.Argument(help="Folder with manifest.csv and pictures.")],
    enrol: Annotated[int, typer.Option(min=1, help="Palms to enrol.")] = 100,
    samples: Annotated[int, typer.Option(min=2, help="Pictures per enrolment.")] = 3,
    frames: Annotated[
        list[int], typer.Option(min=1, max=3, help="Pictures of an attempt. Repeatable.")
    ] = [3],  # noqa: B006 -- typer copies it
    others: Annotated[
        Path | None, typer.Option(help="A set of people who are not enrolled; else a sixth.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the JSON result.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the choice of palms.")] = 1,
    limit_probes: Annotated[
        int | None, typer.Option(min=1, help="Most logins, of the enrolled and of others.")
    ] = None,
) -> None:
    """Enrol and sign in with a set of pictures over HTTP, and count who gets in.

    Enrols palms from their first pictures. Each other picture leads a sign-in of up to three
    attempts, each with several pictures of that palm and session. Palms that are not enrolled
    try, too. An interruption keeps what was counted. Starts a service with empty databases.
    """
    with reported_faults():
        # Slow to load, and --help needs none of it.
        from benchmarks.journey.measure import Counts, measure_journey  # noqa: PLC0415

        measure_journey(data, others, out, Counts(enrol, samples, seed, limit_probes, frames))


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


SIZES = [10_000, 100_000]

ROUND = 2_000
"""Sizes are multiples of it."""


def search(  # noqa: PLR0913 - the options of a command
    data: Annotated[
        Path, typer.Argument(help="Output of “thenar models templates --views 3”.")
    ],
    out: Annotated[Path, typer.Option(help="Folder for the JSON and the page.")] = Path(
        "artefacts/search"
    ),
    rows: Annotated[
        list[int], typer.Option(help=f"References to enrol; multiples of {ROUND}.")
    ] = SIZES,
    mates: Annotated[int, typer.Option(min=100, help="Mated probes for each size.")] = 10_000,
    runs: Annotated[int, typer.Option(min=10, help="Timed searches and changes.")] = 1_000,
    exact_runs: Annotated[
        int, typer.Option(min=0, help="Timed exact scans; 0: none, nor their memory or a page.")
    ] = 50,
    *,
    milvus: Annotated[
        str | None,
        typer.Option(help="Measure a gallery on this server instead: http://HOST:PORT"),
    ] = None,
) -> None:
    """Measure one-to-many search: speed, memory, start, changes, and lost mates.

    Probes are drawn palms, each enrolled with two other pictures. The gallery is on disk, as in
    the service, and is filled with palms mixed from drawn ones. FAISS's exact scan of all rows
    is the baseline, timed in turn with the gallery. Compare times within one run only: CPU
    times are those of the calling thread. The JSON is written after each step: an interrupted
    run keeps what it has.

    With --milvus the gallery is on a server, is named “bench” and is removed at the end. Its
    times are those that a caller waits, as the server's CPU time is not known here.
    """
    if any(size < ROUND or size % ROUND for size in rows):
        raise typer.BadParameter(f"sizes are multiples of {ROUND}")
    with reported_faults():
        # Slow to load, and --help needs none of it.
        from benchmarks.search.run import Options, measure_sizes  # noqa: PLC0415

        measure_sizes(data, out, rows, Options(mates, runs, exact_runs, milvus))


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
        from benchmarks.extract import measure_stages  # noqa: PLC0415

        measure_stages(data, out, pictures, long_side)


PROVIDERS = ("sqlite", "sqlite-one-core", "postgresql", "postgresql-one-core")


def oidc(
    out: Annotated[Path, typer.Option(help="Folder for the JSON and the page.")] = Path(
        "benchmarks/results"
    ),
    requests: Annotated[
        int, typer.Option(min=16, help="Requests per operation and round.")
    ] = 1_000,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds for each provider.")] = 6,
    warm_up: Annotated[int, typer.Option(min=0, help="Rounds before, not counted.")] = 20,
    connections: Annotated[int, typer.Option(min=1, help="Requests in flight at once.")] = 16,
    only: Annotated[
        list[str] | None, typer.Option(help=f"Choose from {', '.join(PROVIDERS)}.")
    ] = None,
) -> None:
    """Measure code exchange, refresh and userinfo per CPU second and per second.

    The provider runs on SQLite and on PostgreSQL, durable as shipped, free or bound to a core.
    They take turns in one run: compare within it only. What is not installed is skipped.
    """
    wanted = only or list(PROVIDERS)
    if set(wanted) - set(PROVIDERS):
        raise typer.BadParameter(f"providers are {', '.join(PROVIDERS)}")
    with reported_faults():
        # Slow to load, and --help needs none of it.
        from benchmarks.oidc.run import measure_providers  # noqa: PLC0415

        parameters = {"requests": requests, "rounds": rounds, "connections": connections}
        measure_providers(out, wanted, parameters | {"warm_up": warm_up})

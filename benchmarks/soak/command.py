"""``thenar bench soak``: its options."""

from pathlib import Path
from typing import Annotated

import typer

from benchmarks.console import reported_faults


def soak(
    data: Annotated[Path, typer.Argument(help="Output of “thenar models draw --shots 4”.")],
    out: Annotated[Path, typer.Option(help="Folder for the JSON.")] = Path("artefacts/soak"),
    logins: Annotated[int, typer.Option(min=1, help="Sign-ins that must be right.")] = 10_000,
    pause: Annotated[float, typer.Option(min=1, help="Seconds between mishaps.")] = 15,
    following: Annotated[
        Path | None,
        typer.Option("--next", help="A checkout of the next program, to roll to and back."),
    ] = None,
) -> None:
    """Count wrong answers and lost promises while processes and database are harmed.

    Owners of the palms sign in at two apps, refresh tokens and disconnect, over two processes
    on a PostgreSQL of their own. In turn one process is killed, the database crashes, one
    process is stopped, the database restarts. The first process is spared for four fifths of
    the sign-ins and shows whether memory is flat. With --next nothing happens but that both
    processes stop in turn and start with the next program, then with this one again.

    Exits with 1 if an answer was wrong, or something acknowledged is gone.
    """
    with reported_faults():
        # Slow to load, and --help needs none of it.
        from benchmarks.soak.run import Plan, run_soak  # noqa: PLC0415

        if not run_soak(data, out, Plan(logins, pause, following)):
            raise typer.Exit(code=1)

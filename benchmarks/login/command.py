"""``thenar bench login``: times of logins, enrolments and erasures beside a gallery."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from benchmarks.datasets.manifest import DatasetFault, PalmSet
from benchmarks.harness.service import ServiceFault
from benchmarks.measurement.result_files import result, write_result
from benchmarks.measurement.targets import target_table

_console = Console(stderr=True, highlight=False)


def login(
    data: Annotated[
        Path, typer.Argument(help="Output of “thenar models templates --views 3”.")
    ],
    people: Annotated[int, typer.Option(min=2, help="People to enrol.")] = 1_000,
    logins: Annotated[int, typer.Option(min=1, help="Logins to time.")] = 500,
    erasures: Annotated[int, typer.Option(min=1, help="Erasures to time.")] = 300,
    out: Annotated[Path | None, typer.Option(help="Folder for the JSON result.")] = None,
) -> None:
    """Time logins over HTTP beside a gallery, enrolments and erasures.

    Starts a service with empty databases: drawn palms enrol, log in and delete their accounts.
    Then they enrol and are erased once more in this process, without HTTP.
    """
    # Slow to load, and --help needs none of it.
    from benchmarks.datasets.drawn import read_drawn  # noqa: PLC0415
    from benchmarks.login import run  # noqa: PLC0415

    try:
        drawn = read_drawn(data, palms=people)
        numbers = run.measure(drawn, logins=logins, erasures=erasures)
    except (DatasetFault, ServiceFault) as fault:
        _console.print(f"[red]{fault}[/]", soft_wrap=True)
        raise typer.Exit(code=1) from fault
    targets = run.login_targets(numbers["within_ms"])
    _console.print(_table(numbers, tuple(run.SHARES)))
    _console.print(target_table("targets", targets))
    if out is not None:
        content = result(
            protocol="login",
            palms=PalmSet(data.resolve().name, str(drawn.plan["graph"]), ()),
            parameters={"people": people, "samples": run.SAMPLES, "plan": drawn.plan},
            numbers={**numbers, "bars": [target.as_json() for target in targets]},
        )
        written = write_result(out, f"login-{people}", content)
        _console.print(f"written to {written}", soft_wrap=True)


def _table(numbers: dict[str, Any], shares: tuple[str, ...]) -> Table:
    table = Table("measured", "stage", "count", *shares, box=None)
    known = f"{numbers['known']} of {numbers['logins']} recognised"
    table.title = f"{numbers['rows']} references, {known}, ms"
    for where, stages in (("over HTTP", "times_ms"), ("in process", "within_ms")):
        for name, times in numbers[stages].items():
            columns = (f"{times[column]:g}" for column in ("count", *shares))
            table.add_row(where, name, *columns)
    return table

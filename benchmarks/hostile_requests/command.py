"""``thenar bench requests``: a hundred thousand hostile requests against the real service."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress

from benchmarks.measurement.result_files import machine, revision, write_result

if TYPE_CHECKING:
    from benchmarks.hostile_requests.run import Bad

_console = Console(stderr=True, highlight=False)


def requests(
    out: Annotated[Path, typer.Option(help="Folder for the JSON.")] = Path(
        "benchmarks/results"
    ),
    count: Annotated[int, typer.Option(min=1, help="Requests that are sent.")] = 100_000,
    seed: Annotated[int, typer.Option(help="Of everything that is drawn.")] = 1,
    minutes: Annotated[
        float | None, typer.Option(min=0.1, help="Draw no further ones after that.")
    ] = None,
    keep: Annotated[
        Path | None, typer.Option(help="Folder for the requests that got a 5xx.")
    ] = None,
) -> None:
    """Send hostile requests to a service of our own, and look for 5xx and for secrets.

    Needs the extra "test". Exits with 1 if there is a 5xx, if the service hung or told of a
    fault, or if a secret is in what it printed or in its databases.
    """
    try:
        content, bad = _ill_treat(count, seed, minutes)
    except ImportError as fault:
        _console.print(f"[red]{fault.name} is not installed: it is in the extra test[/]")
        raise typer.Exit(code=1) from fault
    _console.print(f"written to {write_result(out, 'requests', content)}", soft_wrap=True)
    if keep is not None:
        _keep(keep, bad)
    if not content["holds"]:
        _console.print("[red]it does not hold[/]")
        raise typer.Exit(code=1)


def _ill_treat(
    count: int, seed: int, minutes: float | None
) -> tuple[dict[str, Any], list[Bad]]:
    """Send everything; return the result, and what got a 5xx."""
    from benchmarks.hostile_requests import checks, run  # noqa: PLC0415 -- needs the extra test
    from benchmarks.hostile_requests.installation import scene  # noqa: PLC0415
    from benchmarks.hostile_requests.planted_secrets import Planted  # noqa: PLC0415

    tally, planted, canaries = run.Tally(), Planted(), Planted()
    run.plant_canaries(canaries)
    began = time.perf_counter()
    until = inf if minutes is None else began + 60 * minutes
    with (
        TemporaryDirectory(prefix="requests-") as folder,
        scene(Path(folder)) as place,
        Progress(console=_console) as bar,
    ):
        place.plant(planted)
        task = bar.add_task("requests", total=count)
        with run.senders(place, planted, tally, lambda: bar.advance(task)) as put:
            run.draw(place.service.local_url, count, seed, put, until)
        ready = checks.is_ready(place)
        found = checks.secrets_found(place, planted, canaries)
        told = checks.faults_told(place)
    numbers = checks.numbers(tally, planted, found, told)
    numbers |= {"ready_afterwards": ready, "seconds": round(time.perf_counter() - began)}
    numbers["holds"] = ready and not (tally.bad or found or told)
    return _content(numbers, count, seed), tally.bad


def _content(numbers: dict[str, Any], count: int, seed: int) -> dict[str, Any]:
    """Return the result and what is needed to believe it."""
    return {
        "protocol": "requests",
        "date": f"{datetime.now(UTC):%Y-%m-%d}",  # noqa: TID251 - this benchmark's root
        "parameters": {"count": count, "seed": seed},
        "code": revision(),
        "machine": machine(),
        "load_average": [round(load, 2) for load in os.getloadavg()],
        **numbers,
    }


def _keep(folder: Path, bad: list[Bad]) -> None:
    """Write the requests that got a 5xx, for whoever mends it."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, each in enumerate(bad):
        (folder / f"{number}-{each.status}.http").write_bytes(each.octets)

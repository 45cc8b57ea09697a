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
    from benchmarks.hostile_requests.run import BadResponse

_console = Console(stderr=True, highlight=False)


def requests(
    out: Annotated[Path, typer.Option(help="Folder for the JSON.")] = Path(
        "benchmarks/results"
    ),
    count: Annotated[int, typer.Option(min=1, help="Requests to send.")] = 100_000,
    seed: Annotated[int, typer.Option(help="Seed of all requests.")] = 1,
    minutes: Annotated[
        float | None, typer.Option(min=0.1, help="Stop after this time.")
    ] = None,
    keep: Annotated[
        Path | None, typer.Option(help="Folder for the requests that got a 5xx.")
    ] = None,
) -> None:
    """Send hostile requests to a new service; look for 5xx and leaked secrets.

    Needs the extra "test". Exits with 1 if there is a 5xx, if the service hung or logged a
    fault, or if a secret is in its output or in its databases.
    """
    try:
        content, bad = _send_all_requests(count, seed, minutes)
    except ImportError as fault:
        _console.print(f"[red]{fault.name} is not installed: pip install 'thenar[test]'[/]")
        raise typer.Exit(code=1) from fault
    _console.print(f"written to {write_result(out, 'requests', content)}", soft_wrap=True)
    if keep is not None:
        _keep(keep, bad)
    if not content["holds"]:
        _console.print("[red]the service failed the test[/]")
        raise typer.Exit(code=1)


def _send_all_requests(
    count: int, seed: int, minutes: float | None
) -> tuple[dict[str, Any], list[BadResponse]]:
    from benchmarks.hostile_requests import checks, run  # noqa: PLC0415 -- needs the extra test
    from benchmarks.hostile_requests.installation import running_installation  # noqa: PLC0415
    from benchmarks.hostile_requests.planted_secrets import PlantedSecrets  # noqa: PLC0415

    counts, planted, canaries = run.ResponseCounts(), PlantedSecrets(), PlantedSecrets()
    run.plant_canaries(canaries)
    began = time.perf_counter()
    until = inf if minutes is None else began + 60 * minutes
    with (
        TemporaryDirectory(prefix="requests-") as folder,
        running_installation(Path(folder)) as running,
        Progress(console=_console) as bar,
    ):
        running.add_secrets_to(planted)
        task = bar.add_task("requests", total=count)
        with run.senders(running, planted, counts, lambda: bar.advance(task)) as put:
            run.draw_requests(running.service.local_url, count, seed, put, until)
        ready = checks.is_ready(running)
        found = checks.find_leaks(running, planted, canaries)
        told = checks.logged_faults(running)
    numbers = checks.numbers(counts, planted, found, told)
    numbers |= {"ready_afterwards": ready, "seconds": round(time.perf_counter() - began)}
    numbers["holds"] = ready and not (counts.bad or found or told)
    return _content(numbers, count, seed), counts.bad


def _content(numbers: dict[str, Any], count: int, seed: int) -> dict[str, Any]:
    return {
        "protocol": "requests",
        "date": f"{datetime.now(UTC):%Y-%m-%d}",  # noqa: TID251 - this benchmark's root
        "parameters": {"count": count, "seed": seed},
        "code": revision(),
        "machine": machine(),
        "load_average": [round(load, 2) for load in os.getloadavg()],
        **numbers,
    }


def _keep(folder: Path, bad: list[BadResponse]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number, each in enumerate(bad):
        (folder / f"{number}-{each.status}.http").write_bytes(each.octets)

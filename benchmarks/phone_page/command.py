"""``thenar bench page``: times of the phone's page from the visible palm to the answer."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from rich.console import Console
from rich.table import Table

from benchmarks.datasets.manifest import DatasetFault, read_palm_set
from benchmarks.harness.service import ServiceFault
from benchmarks.measurement.result_files import result, write_result
from engine.errors import EngineError

_console = Console(stderr=True, highlight=False)


def page(  # noqa: PLR0913 - the options of a command
    data: Annotated[
        Path, typer.Argument(help="Folder with manifest.csv, from thenar models draw.")
    ],
    out: Annotated[Path, typer.Option(help="Folder for the JSON and the page.")],
    logins: Annotated[int, typer.Option(min=2, help="Sign-ins to time.")] = 20,
    frames: Annotated[int, typer.Option(min=1, help="Frames to compare.")] = 100,
    judged: Annotated[int, typer.Option(min=1, help="Sign-ins by a challenge to time.")] = 20,
    cores: Annotated[int, typer.Option(min=0, help="CPU cores to use; 0: all.")] = 2,
    chromium: Annotated[Path, typer.Option(help="Path of Chromium.")] = Path(
        "/usr/bin/chromium"
    ),
) -> None:
    """Time sign-ins with the phone's page, measure a first visit, compare its templates.

    Service and browsers share the cores. Build the page first. Exits with 1 if a target is
    missed.
    """
    # Slow to load, and --help needs none of it.
    from benchmarks.phone_page import measured, run  # noqa: PLC0415

    if cores:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
    load_before = os.getloadavg()
    try:
        palms = read_palm_set(data)
        numbers = measured.measure(palms, chromium, logins, frames, judged)
    except (DatasetFault, ServiceFault, EngineError) as fault:
        _console.print(f"[red]{fault}[/]", soft_wrap=True)
        raise typer.Exit(code=1) from fault
    content = result(
        protocol="page-1",
        palms=palms,
        parameters={
            "logins": logins,
            "people": measured.PEOPLE,
            "judged": judged,
            "cores": cores,
        },
        numbers={
            **numbers,
            "bars": run.targets_met(numbers),
            "load_average": {"before": load_before, "after": os.getloadavg()},
        },
    )
    path = write_result(out, "page", content)
    path.with_suffix(".html").write_text(render_page(content), "utf-8")
    _console.print(_table(content))
    _console.print(f"written to {path} and .html", soft_wrap=True)
    if not all(content["bars"].values()):
        raise typer.Exit(code=1)


def render_page(content: dict[str, Any]) -> str:
    """Return the self-contained page of one result."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
    )
    return environment.get_template("page.html").render(content=content)


def _table(content: dict[str, Any]) -> Table:
    table = Table("from visible palm to", "times", "p50 ms", "p95 ms", box=None)
    for step, times in content["answer_ms"].items():
        table.add_row(step, str(times["count"]), f"{times['p50']:.0f}", f"{times['p95']:.0f}")
    judged = content["judged_ms"]
    steps = f"answer to a challenge of {judged['steps']} steps"
    table.add_row(steps, str(judged["count"]), f"{judged['p50']:.0f}", f"{judged['p95']:.0f}")
    templates = content["templates"]
    table.caption = (
        f"first visit {content['first_visit_octets'] / 1e6:.2f} MB;"
        f" {templates['templates']} templates of {templates['frames']} frames,"
        f" largest cosine distance {templates['largest_cosine_distance']:.1e}"
    )
    return table

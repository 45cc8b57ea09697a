"""``thenar models vary``: drawn hands in harder and harder poses."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track

from engine.types import Hand
from models.errors import OtherCollection
from models.synthesis.conditions.folder import Plan, draw_conditions, write_manifest
from models.synthesis.photo import DEFAULT_SIZE_PX

_console = Console(stderr=True, highlight=False)


def vary(
    out: Annotated[Path, typer.Option(help="Folder to fill; made if missing.")],
    people: Annotated[int, typer.Option(min=1, help="How many people, two hands each.")] = 60,
    seed: Annotated[int, typer.Option(min=0, help="Another seed draws other people.")] = 1,
    size: Annotated[
        int, typer.Option(min=240, max=2400, help="Long side of the photos, pixels.")
    ] = DEFAULT_SIZE_PX,
    jobs: Annotated[int, typer.Option(min=1, max=64, help="Processes.")] = 1,
) -> None:
    """Draw hands in harder and harder poses, for thenar bench robustness.

    Each hand is drawn for enrolment, then with fingers from spread to together, with the thumb
    across the palm, tilted, and farther away. An interrupted run continues.
    """
    plan = Plan(people, seed, size)
    try:
        done = draw_conditions(plan, out, jobs=jobs)
        for _ in track(done, "drawing hands", total=people * len(Hand), console=_console):
            pass
    except OtherCollection as error:
        _console.print(f"[red]{error}[/]", soft_wrap=True)
        raise typer.Exit(code=1) from error
    _console.print(f"{write_manifest(plan, out)}", soft_wrap=True)

"""``thenar models draw``: a folder of photos of synthetic hands."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import cv2
import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from engine.types import Hand
from models.errors import NoPictures, OtherCollection
from models.synthesis.collection import (
    Plan,
    draw_collection,
    write_contact_sheet,
    write_manifest,
)
from models.synthesis.crop.sheet import region_sheet
from models.synthesis.photo import DEFAULT_SIZE_PX

_console = Console(stderr=True, highlight=False)


REGION_SHEET: Final = "regions.png"
"""File written by ``--beside``."""


class Hands(StrEnum):
    """Which hands of each person to draw."""

    LEFT = "left"
    RIGHT = "right"
    BOTH = "both"


_CHOSEN: Final = {
    Hands.LEFT: (Hand.LEFT,),
    Hands.RIGHT: (Hand.RIGHT,),
    Hands.BOTH: (Hand.LEFT, Hand.RIGHT),
}


def draw(  # noqa: PLR0913 - the options of a command
    out: Annotated[Path, typer.Option(help="Folder to fill; made if missing.")],
    people: Annotated[int, typer.Option(min=1, help="How many people.")] = 50,
    shots: Annotated[int, typer.Option(min=1, max=99, help="Photos of each hand.")] = 6,
    seed: Annotated[int, typer.Option(min=0, help="Another seed draws other people.")] = 1,
    hands: Annotated[Hands, typer.Option(help="Which hands.")] = Hands.BOTH,
    size: Annotated[
        int, typer.Option(min=240, max=2400, help="Long side of the photos, pixels.")
    ] = DEFAULT_SIZE_PX,
    jobs: Annotated[int, typer.Option(min=1, max=64, help="Processes.")] = 1,
    *,
    sheet_only: Annotated[
        bool, typer.Option("--sheet-only", help="Only write the contact sheet again.")
    ] = False,
    beside: Annotated[
        Path | None,
        typer.Option(help="Folder of real regions: only compare with drawn ones."),
    ] = None,
) -> None:
    """Draw synthetic hands: photos, a manifest.csv and a contact sheet.

    The same options always give the same photos. An interrupted run continues.
    """
    if beside is not None:
        _lay_beside(beside, out, seed)
        return
    plan = Plan(people, _CHOSEN[hands], shots, seed, size)
    try:
        if not sheet_only:
            _draw_with_progress(plan, out, jobs)
            _console.print(f"{write_manifest(plan, out)}", soft_wrap=True)
        _console.print(f"{write_contact_sheet(plan, out)}", soft_wrap=True)
    except OtherCollection as error:
        _console.print(f"[red]{error}[/]", soft_wrap=True)
        raise typer.Exit(code=1) from error


def _lay_beside(folder: Path, out: Path, seed: int) -> None:
    try:
        page = region_sheet(folder, seed=seed)
    except NoPictures as error:
        _console.print(f"[red]{error}[/]", soft_wrap=True)
        raise typer.Exit(code=1) from error
    out.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(out / REGION_SHEET), page)
    _console.print(f"{out / REGION_SHEET}", soft_wrap=True)


def _draw_with_progress(plan: Plan, out: Path, jobs: int) -> None:
    columns = (
        TextColumn("drawing hands"), BarColumn(), MofNCompleteColumn(), TextColumn("photos ·"),
        TimeElapsedColumn(), TextColumn("· left"), TimeRemainingColumn(),
    )  # fmt: skip
    with Progress(*columns, console=_console) as progress:
        task = progress.add_task("", total=plan.people * len(plan.hands) * plan.shots)
        for count in draw_collection(plan, out, jobs=jobs):
            progress.advance(task, count)

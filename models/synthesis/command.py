"""``thenar models draw`` and ``vary``: folders of photos of synthetic hands."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from engine.types import Hand
from models.console import console, progress, reported_faults
from models.synthesis.conditions import conditions_plan
from models.synthesis.photo import DEFAULT_SIZE_PX
from models.synthesis.photo_folder import (
    Plan,
    PlannedPhoto,
    draw_photos,
    row_of,
    write_contact_sheet,
    write_manifest,
)

_HANDS = 24
_PHOTOS = 6
"""Most hands on a contact sheet, two to a row, and photos of each."""

Out = Annotated[Path, typer.Option(help="Folder to fill; made if missing.")]
Seed = Annotated[int, typer.Option(min=0, help="Another seed draws other people.")]
Size = Annotated[int, typer.Option(min=240, max=2400, help="Long side of the photos, pixels.")]
Jobs = Annotated[int, typer.Option(min=1, max=64, help="Processes.")]


def draw(  # noqa: PLR0913 - the options of a command
    out: Out,
    people: Annotated[int, typer.Option(min=1, help="How many people.")] = 50,
    shots: Annotated[int, typer.Option(min=1, max=99, help="Photos of each hand.")] = 6,
    seed: Seed = 1,
    hand: Annotated[Hand | None, typer.Option(help="Only this hand of each.")] = None,
    size: Size = DEFAULT_SIZE_PX,
    jobs: Jobs = 1,
) -> None:
    """Draw synthetic hands: photos, a manifest.csv and a contact sheet.

    The same options always give the same photos. An interrupted run continues.
    """
    hands = tuple(Hand) if hand is None else (hand,)
    plan = Plan(people, hands, seed, size, partial(_photos_of, shots))
    _fill(plan, out, jobs)
    shown = [plan.photos_of(*palm)[:_PHOTOS] for palm in plan.palms[:_HANDS]]
    paths = [photo.path(out) for photos in shown for photo in photos]
    columns = 2 * len(shown[0])
    rows = [paths[n : n + columns] for n in range(0, len(paths), columns)]
    sheet = write_contact_sheet(out / "contact-sheet.png", rows)
    console.print(f"{sheet}", soft_wrap=True)


def vary(
    out: Out,
    people: Annotated[int, typer.Option(min=1, help="How many people, two hands each.")] = 60,
    seed: Seed = 1,
    size: Size = DEFAULT_SIZE_PX,
    jobs: Jobs = 1,
) -> None:
    """Draw hands in harder and harder poses, for thenar bench robustness.

    Each hand is drawn for enrolment, then with fingers from spread to together, with the thumb
    across the palm, tilted, and farther away. An interrupted run continues.
    """
    _fill(conditions_plan(people, seed, size), out, jobs)


def _fill(plan: Plan, out: Path, jobs: int) -> None:
    """Draw a folder, with a progress bar, and its manifest; exit if it is of another plan."""
    total = sum(len(plan.photos_of(*palm)) for palm in plan.palms)
    with reported_faults(), progress("drawing hands", total) as advance:
        for count in draw_photos(plan, out, jobs=jobs):
            advance(count)
    console.print(f"{write_manifest(plan, out)}", soft_wrap=True)


def _photos_of(shots: int, person: int, hand: Hand) -> list[PlannedPhoto]:
    return [PlannedPhoto(shot, row_of(person, hand, shot)) for shot in range(1, shots + 1)]

"""``thenar models present``: sessions before a camera, living hands and attacks."""

from pathlib import Path
from typing import Annotated

import typer
from rich.progress import track

from engine.types import Hand
from models.console import console, reported_faults
from models.synthesis.presentations.folder import (
    PlannedSession,
    draw_sessions,
    write_species_sheet,
)
from models.synthesis.presentations.species import NAMES


def present(  # noqa: PLR0913 - the options of a command
    out: Annotated[Path, typer.Option(help="Folder to fill; made if missing.")],
    species: Annotated[
        list[str] | None,
        typer.Option(help=f"Which; all if not given: {', '.join(NAMES)}."),
    ] = None,
    people: Annotated[int, typer.Option(min=1, help="Sessions of each species.")] = 6,
    first: Annotated[int, typer.Option(min=0, help="Number of the first person.")] = 0,
    session: Annotated[int, typer.Option(min=0, help="Another number, another session.")] = 1,
    hand: Annotated[Hand, typer.Option(help="Which hand.")] = Hand.LEFT,
    sources: Annotated[
        Path | None, typer.Option(help="Folder of pictures of palms that are presented.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, max=64, help="Processes.")] = 1,
) -> None:
    """Draw sessions that answer challenges: living hands, prints, screens, films, puppets.

    The same options give the same frames. An interrupted run continues.
    """
    chosen = species or list(NAMES)
    if unknown := sorted(set(chosen) - set(NAMES)):
        console.print(f"[red]no such species: {', '.join(unknown)}[/]", soft_wrap=True)
        raise typer.Exit(code=1)
    pictures = [] if sources is None else sorted(p for p in sources.rglob("*") if p.is_file())
    plan = [
        PlannedSession(
            name, person, session, hand,
            pictures[person % len(pictures)] if pictures else None,
        )
        for name in chosen
        for person in range(first, first + people)
    ]  # fmt: skip
    done = draw_sessions(plan, out, jobs=jobs)
    with reported_faults():
        for _ in track(done, "drawing sessions", total=len(plan), console=console):
            pass
    for name in chosen:
        console.print(f"{write_species_sheet(out, name)}", soft_wrap=True)

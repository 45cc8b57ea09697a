"""``thenar models present``: sessions before a camera, living hands and attacks.

They are written into a folder, for benchmarks and for eyes. ``SPECIES/PERSON-SESSION/`` holds
the frames as JPEG and, written last, ``session.json``; an interrupted run continues. Every
second person is before a lamp and a camera that are kept out of tuning. ``SPECIES.png`` shows
the first sessions, a row each.
"""

import json
import random
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import cv2
import numpy as np
import typer
from rich.progress import track

from engine.presentation_attack.challenge import Challenge, draw_challenge
from engine.types import Hand
from models.console import console, reported_faults
from models.processes import in_processes
from models.synthesis.anatomy import U8
from models.synthesis.camera import encode_jpeg
from models.synthesis.photo_folder import write_contact_sheet
from models.synthesis.presentations.session import DrawnFrame, open_filming
from models.synthesis.presentations.species import NAMES, SPECIES

SESSION: Final = "session.json"
DRAWING_VERSION: Final = 4
"""Raised whenever the same seeds would give other frames."""

_QUALITY: Final = 92
"""Of the JPEGs, as the page sends them."""

_ROWS: Final = 6


@dataclass(frozen=True, slots=True)
class PlannedSession:
    """One session; ``source``: picture of a palm to present."""

    species: str
    person: int
    session: int
    hand: Hand
    source: Path | None = None

    @property
    def folder(self) -> str:
        """Its place in the folder of all sessions."""
        return f"{self.species}/{self.person:05d}-{self.session:02d}"

    @property
    def is_kept_out(self) -> bool:
        """Whether its lamp and camera are kept out of tuning."""
        return self.person % 2 == 1


def draw_sessions(plan: list[PlannedSession], out: Path, *, jobs: int) -> Iterator[Path]:
    """Draw sessions into a folder and return their places as they are done."""
    yield from in_processes(jobs, partial(_draw, out), plan)


def _draw(out: Path, planned: PlannedSession) -> Path:
    folder = out / planned.folder
    if (folder / SESSION).exists():
        return folder
    cv2.setNumThreads(1)
    folder.mkdir(parents=True, exist_ok=True)
    challenge, source = _challenge(planned), _read(planned.source)
    filming = open_filming(
        planned.species, planned.person, planned.session, challenge,
        source=source, hand=planned.hand, is_kept_out=planned.is_kept_out,
    )  # fmt: skip
    frames = filming.frames()
    for number, frame in enumerate(frames):
        (folder / f"{number:02d}.jpg").write_bytes(encode_jpeg(frame.pixels, _QUALITY))
    (folder / SESSION).write_text(_described(planned, challenge, frames), encoding="utf-8")
    return folder


def _challenge(planned: PlannedSession) -> Challenge:
    """Draw the challenge of a session: the same for each species."""
    chance = random.Random(f"{planned.person}-{planned.session}")  # noqa: S311 - repeatable
    return draw_challenge(chance)


def _read(path: Path | None) -> U8 | None:
    if path is None:
        return None
    pixels = cv2.imread(str(path), cv2.IMREAD_COLOR)
    return np.ascontiguousarray(np.asarray(pixels, dtype=np.uint8)[:, :, ::-1])


def _described(planned: PlannedSession, challenge: Challenge, frames: list[DrawnFrame]) -> str:
    kept_out = {one.name for one in SPECIES if one.is_kept_out}
    content = {
        "drawing": DRAWING_VERSION,
        **asdict(planned),
        "is_species_kept_out": planned.species in kept_out,
        "is_scene_kept_out": planned.is_kept_out,
        "source": planned.source and planned.source.name,
        "challenge": json.loads(challenge.to_json()),
        "frames": [
            {"file": f"{n:02d}.jpg", "step": one.step, "phase": one.phase, "at_s": one.at_s}
            for n, one in enumerate(frames)
        ],
    }
    return json.dumps(content, indent=1) + "\n"


def write_species_sheet(out: Path, species: str) -> Path:
    """Lay the frames of a species' first sessions out on one page, a row each."""
    folders = sorted((out / species).iterdir())[:_ROWS]
    return write_contact_sheet(
        out / f"{species}.png", [sorted(one.glob("*.jpg")) for one in folders]
    )


def present(  # noqa: PLR0913 - the options of a command
    out: Annotated[Path, typer.Option(help="Folder to fill; made if missing.")],
    species: Annotated[
        list[str] | None, typer.Option(help=f"Which; all if not given: {', '.join(NAMES)}.")
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

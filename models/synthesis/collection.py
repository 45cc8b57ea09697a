"""A folder of drawn photos with its manifest.

An interrupted run continues: a photo gets its name only when complete. The same plan always
gives the same bytes; a folder of another plan is refused.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from engine.types import Hand
from models.errors import OtherCollection
from models.synthesis.anatomy import U8
from models.synthesis.contact_sheet import contact_sheet, thumbnail
from models.synthesis.photo import draw_photo

DRAWING_VERSION: Final = 1
"""Raised whenever the same seeds would give other pictures."""

MANIFEST: Final = "manifest.csv"
PLAN: Final = "drawing.json"
CONTACT_SHEET: Final = "contact-sheet.png"

_LETTER: Final = {Hand.LEFT: "L", Hand.RIGHT: "R"}
_SHEET_LIMIT: Final = 24


@dataclass(frozen=True, slots=True)
class Plan:
    """Content of a folder; ``shots`` of each hand; other seeds are other people."""

    people: int
    hands: tuple[Hand, ...]
    shots: int
    seed: int
    size_px: int


@dataclass(frozen=True, slots=True)
class PlannedHand:
    """One hand of one person, drawn by one worker."""

    person: int
    hand: Hand

    @property
    def subject(self) -> str:
        """The person's name in manifest and path."""
        return f"person-{self.person:04d}"

    @property
    def identity(self) -> str:
        """The palm's name in the manifest."""
        return f"{self.subject}_{_LETTER[self.hand]}"

    def path(self, shot: int) -> Path:
        """Return a photo's path in the folder; shots count from 1."""
        return Path(self.subject) / f"{self.hand.value}-{shot:02d}.jpg"


def planned_hands(plan: Plan) -> list[PlannedHand]:
    """List the hands of a plan, person by person."""
    return [PlannedHand(p, hand) for p in range(1, plan.people + 1) for hand in plan.hands]


def person_seed(plan: Plan, person: int) -> int:
    """Return the seed of one person of a collection."""
    return plan.seed * 1_000_000 + person


def draw_collection(plan: Plan, folder: Path, *, jobs: int) -> Iterator[int]:
    """Draw missing photos; yield how many each hand has.

    Raises:
        OtherCollection: the folder was drawn to another plan.
    """
    _write_plan(plan, folder)
    hands = planned_hands(plan)
    if jobs == 1:
        yield from (_draw_hand(plan, folder, hand) for hand in hands)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        work = [pool.submit(_draw_hand, plan, folder, hand) for hand in hands]
        yield from (job.result() for job in work)


def _write_plan(plan: Plan, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    wanted = json.dumps(
        {"version": DRAWING_VERSION, "seed": plan.seed, "size_px": plan.size_px}, sort_keys=True
    )
    path = folder / PLAN
    if path.exists() and path.read_text() != wanted:
        raise OtherCollection(
            f"{folder} holds photos of another seed, size or version; choose an empty folder"
        )
    path.write_text(wanted)


def _draw_hand(plan: Plan, folder: Path, planned: PlannedHand) -> int:
    cv2.setNumThreads(1)
    for shot in range(1, plan.shots + 1):
        path = folder / planned.path(shot)
        if path.exists():
            continue
        photo = draw_photo(
            person_seed(plan, planned.person), planned.hand, shot, size_px=plan.size_px
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial")
        partial.write_bytes(photo.encode())
        partial.replace(path)
    return plan.shots


def write_manifest(plan: Plan, folder: Path) -> Path:
    """List all photos: path, identity, session, hand, kind, subject."""
    path = folder / MANIFEST
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("path", "identity", "session", "hand", "kind", "subject"))
        for planned in planned_hands(plan):
            for shot in range(1, plan.shots + 1):
                writer.writerow(
                    (planned.path(shot).as_posix(), planned.identity, 1,
                     _LETTER[planned.hand], "hand", planned.subject)
                )  # fmt: skip
    return path


def write_contact_sheet(plan: Plan, folder: Path) -> Path:
    """Write a page of the first hands, two to a row, up to six photos of each."""
    columns = min(plan.shots, 6)
    thumbnails: list[U8] = []
    for planned in planned_hands(plan)[:_SHEET_LIMIT]:
        for shot in range(1, columns + 1):
            pixels = cv2.imread(str(folder / planned.path(shot)))
            thumbnails.append(thumbnail(np.asarray(pixels, dtype=np.uint8)))
    path = folder / CONTACT_SHEET
    cv2.imwrite(str(path), contact_sheet(thumbnails, columns=columns * 2))
    return path

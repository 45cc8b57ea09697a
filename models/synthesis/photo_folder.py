"""A folder of drawn photos with its manifest.

An interrupted run continues: a photo gets its name only when complete. The same plan always
gives the same bytes; a folder of another plan is refused.

A contact sheet shows pictures on one page, for inspection.
"""

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import cv2
import numpy as np

from engine.types import Hand
from models.processes import claim, in_processes
from models.synthesis.anatomy import U8
from models.synthesis.photo import Change, draw_photo

DRAWING_VERSION: Final = 1
"""Raised whenever the same seeds would give other pictures."""

MANIFEST: Final = "manifest.csv"
PLAN: Final = "drawing.json"

HEADING: Final = ("path", "identity", "session", "hand", "kind", "subject")


class PlannedPhoto(NamedTuple):
    """One photo of a hand.

    Attributes:
        shot: seed of pose, light and camera.
        row: of the manifest; its path first.
        change: None for a photo as its seeds give it.
    """

    shot: int
    row: tuple[str, ...]
    change: Change | None = None

    def path(self, folder: Path) -> Path:
        """Return its place in the folder."""
        return folder / self.row[0]


@dataclass(frozen=True, slots=True)
class Plan:
    """Content of a folder; other seeds are other people.

    Attributes:
        photos_of: lists the photos of one hand of a person; a function of a module.
        heading: of the manifest.
    """

    people: int
    hands: tuple[Hand, ...]
    seed: int
    size_px: int
    photos_of: Callable[[int, Hand], list[PlannedPhoto]]
    heading: tuple[str, ...] = HEADING

    @property
    def palms(self) -> list[tuple[int, Hand]]:
        """Everybody's hands, person by person."""
        return [(person, hand) for person in range(1, self.people + 1) for hand in self.hands]


def row_of(person: int, hand: Hand, shot: int) -> tuple[str, ...]:
    """Return a photo's row of the manifest; shots count from 1."""
    subject, letter = f"person-{person:04d}", hand.value[0].upper()
    path = f"{subject}/{hand.value}-{shot:02d}.jpg"
    return (path, f"{subject}_{letter}", "1", letter, "hand", subject)


def draw_photos(plan: Plan, folder: Path, *, jobs: int) -> Iterator[int]:
    """Draw missing photos; yield how many each hand has.

    Raises:
        ModelsError: the folder was drawn to another plan.
    """
    decides = {"version": DRAWING_VERSION, "seed": plan.seed, "size_px": plan.size_px}
    if plan.heading != HEADING:
        decides["columns"] = len(plan.heading)
    claim(folder, PLAN, decides)
    yield from in_processes(jobs, partial(_draw_hand, plan, folder), plan.palms)


def _draw_hand(plan: Plan, folder: Path, palm: tuple[int, Hand]) -> int:
    cv2.setNumThreads(1)
    person, hand = palm
    photos = plan.photos_of(person, hand)
    for photo in photos:
        path = photo.path(folder)
        if path.exists():
            continue
        seed = plan.seed * 1_000_000 + person
        drawn = draw_photo(seed, hand, photo.shot, size_px=plan.size_px, change=photo.change)
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial")
        partial.write_bytes(drawn.encode())
        partial.replace(path)
    return len(photos)


def write_manifest(plan: Plan, folder: Path) -> Path:
    """List all photos."""
    path = folder / MANIFEST
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(plan.heading)
        for palm in plan.palms:
            writer.writerows(photo.row for photo in plan.photos_of(*palm))
    return path


HEIGHT_PX: Final = 240
"""Of one picture on the page."""

GAP_PX: Final = 6

_GREY: Final = 236


def write_contact_sheet(path: Path, rows: Sequence[Sequence[Path]]) -> Path:
    """Write a page of pictures in rows, on light grey."""
    strips = [np.hstack([_thumbnail(picture) for picture in row]) for row in rows]
    width = max(strip.shape[1] for strip in strips)
    page = np.vstack([_padded(strip, 0, width - strip.shape[1]) for strip in strips])
    corner = ((GAP_PX, 0), (GAP_PX, 0), (0, 0))
    cv2.imwrite(str(path), np.pad(page, corner, constant_values=_GREY))
    return path


def _thumbnail(picture: Path) -> U8:
    pixels = np.asarray(cv2.imread(str(picture)), dtype=np.uint8)
    size = (HEIGHT_PX * pixels.shape[1] // pixels.shape[0], HEIGHT_PX)
    small = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA)
    return _padded(np.asarray(small, np.uint8), GAP_PX, GAP_PX)


def _padded(pixels: U8, below: int, right: int) -> U8:
    return np.pad(pixels, ((0, below), (0, right), (0, 0)), constant_values=_GREY)

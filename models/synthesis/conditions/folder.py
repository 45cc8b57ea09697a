"""A folder of drawn hands under conditions, and its manifest.

An interrupted run continues. The same plan gives the same photos.
"""

from __future__ import annotations

import csv
import json
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from engine.types import Hand
from models.errors import OtherCollection
from models.synthesis.conditions.changes import CONDITIONS
from models.synthesis.photo import draw_photo

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from models.synthesis.photo import Change

ENROLLED: Final = 2
"""Photos of a hand that are enrolled, for each way of enrolling."""

VERSION: Final = 1
"""Raised whenever the same plan would give other photos."""

HEADING: Final = (
    "path", "identity", "session", "hand", "kind", "subject", "condition", "strength", "unit",
    "role",
)  # fmt: skip

_PLAN: Final = "conditions.json"


@dataclass(frozen=True, slots=True)
class Plan:
    """Content of a folder: two hands of each person; other seeds are other people."""

    people: int
    seed: int
    size_px: int


@dataclass(frozen=True, slots=True)
class PlannedPhoto:
    """One photo of one hand.

    Attributes:
        shot: seed of pose, light and camera.
        row: of the manifest, without its change.
        change: None for a photo as its seeds give it.
    """

    person: int
    hand: Hand
    shot: int
    row: tuple[str, ...]
    change: Change | None = field(repr=False)


def photos_of(plan: Plan, person: int, hand: Hand) -> list[PlannedPhoto]:
    """List the photos of one hand: enrolled ones first, then each condition's."""
    direction = _direction_rad(plan, person, hand)
    ways: list[tuple[str, str, str, str, Change | None]]
    ways = [("", "", "", "reference", None)] * ENROLLED
    for one in CONDITIONS:
        if one.enrolled is not None:
            ways += [(one.name, "", one.unit, "reference", one.enrolled)] * ENROLLED
        ways += [
            (one.name, f"{strength:g}", one.unit, "probe", one.change(strength, direction))
            for strength in one.strengths
        ]
    return [
        PlannedPhoto(person, hand, shot, _row(person, hand, shot, way), way[4])
        for shot, way in enumerate(ways, 1)
    ]


def _direction_rad(plan: Plan, person: int, hand: Hand) -> float:
    side = list(Hand).index(hand)
    return float(np.random.default_rng((plan.seed, person, side)).uniform(0, 2 * np.pi))


def _row(
    person: int, hand: Hand, shot: int, way: tuple[str, str, str, str, Change | None]
) -> tuple[str, ...]:
    subject, letter = f"person-{person:04d}", hand.value[0].upper()
    path = f"{subject}/{hand.value}-{shot:02d}.jpg"
    return (path, f"{subject}_{letter}", "1", letter, "hand", subject, *way[:4])


def draw_conditions(plan: Plan, folder: Path, *, jobs: int) -> Iterator[int]:
    """Draw missing photos; yield how many each hand has.

    Raises:
        OtherCollection: the folder was drawn to another plan.
    """
    _write_plan(plan, folder)
    hands = [(person, hand) for person in range(1, plan.people + 1) for hand in Hand]
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        work = [pool.submit(_draw_hand, plan, folder, *one) for one in hands]
        yield from (job.result() for job in work)


def _write_plan(plan: Plan, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    wanted = json.dumps({"version": VERSION, "seed": plan.seed, "size_px": plan.size_px})
    path = folder / _PLAN
    if path.exists() and path.read_text() != wanted:
        raise OtherCollection(
            f"{folder} holds photos of another seed, size or version; choose an empty folder"
        )
    path.write_text(wanted)


def _draw_hand(plan: Plan, folder: Path, person: int, hand: Hand) -> int:
    cv2.setNumThreads(1)
    photos = photos_of(plan, person, hand)
    for photo in photos:
        path = folder / photo.row[0]
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
    """List all photos with their conditions."""
    path = folder / "manifest.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADING)
        for person in range(1, plan.people + 1):
            for hand in Hand:
                writer.writerows(photo.row for photo in photos_of(plan, person, hand))
    return path

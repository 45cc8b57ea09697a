"""Changes to a gallery, determined by a seed.

Two processes with one seed agree on the state after every step.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final
from uuid import UUID

import numpy as np

from engine.features.code_bytes import pack_code
from engine.gallery.durability.gallery_file import GalleryFile
from engine.gallery.durability.state import RowFormat
from engine.gallery.durability.stored import StoredGallery
from engine.parameters import CODE_BYTES, CODE_CELLS, CODE_DIRECTIONS
from engine.types import ExtractorId, GroupId, Hand, PalmTemplate, Reference, ReferenceId

if TYPE_CHECKING:
    from pathlib import Path

EXTRACTOR: Final = ExtractorId("soak-1")
DIMENSION: Final = 32
KEY: Final = bytes(range(32))
MODEL: Final = RowFormat(EXTRACTOR, DIMENSION, CODE_BYTES, 2)
_MAX_ENROLLED: Final = 400


@dataclass(frozen=True, slots=True)
class Step:
    """Changes of one step.

    Attributes:
        enrolled: number and version of references; existing ones are replaced.
    """

    erased: tuple[int, ...]
    enrolled: tuple[tuple[int, int], ...]


class Workload:
    """Generates one step after the other.

    Attributes:
        number: of the last step; −1 before the first.
        enrolled: version of each enrolled reference, by number.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self.number = -1
        self.enrolled: dict[int, int] = {}

    def step(self) -> Step:
        """Generate the next step."""
        self.number += 1
        rng = np.random.default_rng((self._seed, self.number))
        there = sorted(self.enrolled)
        share = min(1.0, len(there) / _MAX_ENROLLED)
        erased = _draw_some(rng, there, int(rng.integers(0, 2 + int(6 * share))))
        remaining = [number for number in there if number not in erased]
        replaced = _draw_some(rng, remaining, int(rng.integers(0, 3)))
        fresh = [4 * self.number + n for n in range(int(rng.integers(0, 5)))]
        enrolled = tuple((number, self.number) for number in (*replaced, *fresh))
        for number in erased:
            del self.enrolled[number]
        self.enrolled.update(enrolled)
        return Step(tuple(erased), enrolled)


def apply(gallery: StoredGallery, step: Step, number: int) -> None:
    """Apply a step to a gallery."""
    came = [reference(*each) for each in step.enrolled]
    with gallery.step(number):
        if step.erased:
            gallery.erase([reference_id(each) for each in step.erased])
        gallery.replace([r for r in came if r.reference_id in gallery])
        gallery.enrol([r for r in came if r.reference_id not in gallery])


def open_gallery(folder: Path, limit: int) -> tuple[StoredGallery, GalleryFile]:
    """Open a gallery on disk."""
    file = GalleryFile(folder / "soak.sqlite3", MODEL, KEY)
    return StoredGallery(file, limit=limit), file


def differences(gallery: StoredGallery, enrolled: dict[int, int]) -> tuple[int, int]:
    """Return how many references are missing, and how many should not be there.

    A reference of another version counts as both.
    """
    names = gallery.names()
    held = {name[:16].tobytes() for name in names}
    wanted = {reference_id(number).bytes for number in enrolled}
    changed = 0
    for number, version in enrolled.items():
        expected = reference(number, version)
        found = {r.reference_id: r for r in gallery.references_of(expected.group_id)}
        mine = found.get(expected.reference_id)
        if mine is not None and not np.array_equal(mine.template.code, expected.template.code):
            changed += 1
    return len(wanted - held) + changed, len(held - wanted) + changed


@lru_cache(maxsize=4096)
def reference(number: int, version: int) -> Reference:
    """Return a version of a reference; two neighbours share a group."""
    return Reference(reference_id(number), group_id(number // 2), template(number, version))


@lru_cache(maxsize=4096)
def template(number: int, version: int) -> PalmTemplate:
    """Return the template of a version of a reference, unlike any other."""
    rng = np.random.default_rng((number, version, 7))
    vector = rng.standard_normal(DIMENSION)
    cells = (CODE_CELLS, CODE_CELLS)
    code = pack_code(rng.integers(0, CODE_DIRECTIONS, cells), np.ones(cells, np.bool_))
    unit = (vector / np.linalg.norm(vector)).astype(np.float32)
    return PalmTemplate(EXTRACTOR, tuple(Hand)[number // 2 % 2], unit, code)


def reference_id(number: int) -> ReferenceId:
    """Return the id of a reference."""
    return ReferenceId(UUID(int=(1 << 100) + number, version=4))


def group_id(number: int) -> GroupId:
    """Return the id of a group."""
    return GroupId(UUID(int=(2 << 100) + number, version=4))


def _draw_some(rng: np.random.Generator, numbers: list[int], count: int) -> list[int]:
    return [int(n) for n in rng.permutation(np.array(numbers, np.int64))[:count]]

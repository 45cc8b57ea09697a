"""Flip one bit in a stored file: the gallery must notice every time.

It must notice at its start or when it verifies all files, and never serve a reference that
differs from what was enrolled.
"""

from __future__ import annotations

import random
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.soak.workload import Workload, apply, open_gallery, reference
from engine.errors import ForeignGallery

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from engine.gallery.durability.stored import StoredGallery
    from engine.types import Reference

STEPS = 120


@dataclass(frozen=True, slots=True)
class FlipsResult:
    """Results of flipping bits.

    Attributes:
        served_wrong: references that were served but never enrolled like this.
    """

    flips: int
    noticed: int
    served_wrong: int
    files: int


def flip_bits(
    folder: Path, count: int, *, seed: int = 1, limit: int = 0, told: Callable[[], None]
) -> FlipsResult:
    """Flip bits of one gallery's files, each in a new copy."""
    chance = random.Random(seed)  # noqa: S311 -- where to flip, not a secret
    original, copy = folder / "original", folder / "copy"
    written = _write(original, seed, limit)
    noticed = wrong = 0
    names = set()
    for _ in range(count):
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(original, copy)
        names.add(_flip(copy, chance))
        was_noticed, served_wrong = _open_and_verify(copy, limit, written)
        noticed, wrong = noticed + was_noticed, wrong + served_wrong
        told()
    return FlipsResult(count, noticed, wrong, len(names))


def _write(folder: Path, seed: int, limit: int) -> dict[bytes, set[bytes]]:
    """Write a gallery with a snapshot and a journal; return all codes ever, by reference."""
    gallery, files = open_gallery(folder, limit)
    workload, written = Workload(seed), dict[bytes, set[bytes]]()
    for number in range(STEPS):
        step = workload.step()
        apply(gallery, step, workload.number)
        for each in step.enrolled:
            _record(written, reference(*each))
        if number == STEPS // 2:
            gallery.checkpoint()
    gallery.sync()
    files.close()
    return written


def _record(written: dict[bytes, set[bytes]], came: Reference) -> None:
    codes = written.setdefault(came.reference_id.bytes, set())
    codes.add(came.template.code.tobytes())


def _flip(folder: Path, chance: random.Random) -> str:
    path = chance.choice(sorted(p for p in folder.iterdir() if p.stat().st_size))
    data = bytearray(path.read_bytes())
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    path.write_bytes(data)
    return path.name


def _open_and_verify(
    folder: Path, limit: int, written: dict[bytes, set[bytes]]
) -> tuple[bool, int]:
    try:
        gallery, files = open_gallery(folder, limit)
    except ForeignGallery:
        return True, 0
    try:
        gallery.verify()
        damaged = {name.bytes for name in gallery.pop_damaged()}
        noticed = gallery.state().damage_count > 0
        return noticed, _count_wrong(gallery, written, damaged)
    finally:
        files.close()


def _count_wrong(
    gallery: StoredGallery, written: dict[bytes, set[bytes]], damaged: set[bytes]
) -> int:
    groups = {reference(n, 0).group_id for n in range(4 * STEPS)}
    return sum(
        r.template.code.tobytes() not in written.get(r.reference_id.bytes, set())
        for group in groups
        for r in gallery.references_of(group)
        if r.reference_id.bytes not in damaged
    )

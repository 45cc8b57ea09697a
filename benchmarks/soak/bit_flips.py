"""Flip one bit in a stored file: the gallery must notice it, unless it changes nothing.

It must notice at its start or when it verifies everything, and never serve a reference that
differs from what was enrolled. A bit that it does not notice lies where SQLite keeps nothing:
then the gallery must be as it was written.
"""

from __future__ import annotations

import random
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.soak.workload import Workload, apply, differences, open_gallery, reference
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
        noticed: reported as damage, or as an older state, which the database makes good.
        harmless: not noticed, and everything is as it was written.
        served_wrong: references that were served but never enrolled like this.
    """

    flips: int
    noticed: int
    harmless: int
    served_wrong: int
    files: int


def flip_bits(
    folder: Path, count: int, *, seed: int = 1, limit: int = 0, told: Callable[[], None]
) -> FlipsResult:
    """Flip bits of one gallery's files, each in a new copy."""
    chance = random.Random(seed)  # noqa: S311 -- where to flip, not a secret
    original, copy = folder / "original", folder / "copy"
    written = _write(original, seed, limit)
    noticed = harmless = wrong = 0
    names = set()
    for _ in range(count):
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(original, copy)
        names.add(_flip(copy, chance))
        found = _open_and_verify(copy, limit, written)
        noticed, harmless = noticed + found.noticed, harmless + found.harmless
        wrong += found.served_wrong
        told()
    return FlipsResult(count, noticed, harmless, wrong, len(names))


@dataclass(frozen=True, slots=True)
class _Written:
    """The workload at its end, and all codes ever by reference."""

    workload: Workload
    codes: dict[bytes, set[bytes]]


@dataclass(frozen=True, slots=True)
class _Found:
    noticed: bool
    harmless: bool
    served_wrong: int


def _write(original: Path, seed: int, limit: int) -> _Written:
    """Write a gallery with a snapshot and steps, in its file and in its log."""
    folder = original.with_name("open")
    folder.mkdir(parents=True)
    gallery, file = open_gallery(folder, limit)
    workload, written = Workload(seed), dict[bytes, set[bytes]]()
    for number in range(STEPS):
        step = workload.step()
        apply(gallery, step, workload.number)
        for each in step.enrolled:
            _record(written, reference(*each))
        if number == STEPS // 2:
            gallery.checkpoint()
    gallery.sync()
    shutil.copytree(folder, original, ignore=shutil.ignore_patterns("*-shm"))
    file.close()
    return _Written(workload, written)


def _record(written: dict[bytes, set[bytes]], came: Reference) -> None:
    codes = written.setdefault(came.reference_id.bytes, set())
    codes.add(came.template.code.tobytes())


def _flip(folder: Path, chance: random.Random) -> str:
    path = chance.choice(sorted(p for p in folder.iterdir() if p.stat().st_size))
    data = bytearray(path.read_bytes())
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    path.write_bytes(data)
    return path.name


def _open_and_verify(folder: Path, limit: int, written: _Written) -> _Found:
    try:
        gallery, file = open_gallery(folder, limit)
    except ForeignGallery:
        return _Found(noticed=True, harmless=False, served_wrong=0)
    try:
        gallery.verify()
        damaged = {name.bytes for name in gallery.pop_damaged()}
        is_older = gallery.sequence < written.workload.number
        noticed = is_older or gallery.state().damage_count > 0
        is_same = differences(gallery, written.workload.enrolled) == (0, 0)
        wrong = _count_wrong(gallery, written.codes, damaged)
        return _Found(noticed, not noticed and is_same, wrong)
    finally:
        file.close()


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

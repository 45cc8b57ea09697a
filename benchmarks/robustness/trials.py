"""Choose which pictures are enrolled, and which are probes under which conditions."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from benchmarks.datasets.manifest import DatasetFault, PalmSet, Picture
from benchmarks.robustness.conditions import Condition

REFERENCE: Final = "reference"


@dataclass(frozen=True, slots=True)
class Series:
    """A condition of a set.

    Attributes:
        has_references: it has its own enrolled pictures.
    """

    name: str
    unit: str
    strengths: tuple[float, ...]
    has_references: bool = False
    is_placement: bool = False


@dataclass(frozen=True, slots=True)
class Trial:
    """One picture and what is taken of it.

    Attributes:
        seed: of all that is random about its harm.
        conditions: applied to a probe, at all their strengths; none for a drawn probe, whose
            picture shows its condition already.
    """

    picture: Picture
    is_reference: bool
    seed: int
    conditions: tuple[Condition, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Sizes:
    """Numbers of palms and pictures to measure; ``palms`` 0 is all."""

    palms: int
    references: int
    probes: int
    seed: int


def is_drawn(palms: PalmSet) -> bool:
    """Return whether the manifest says which picture shows which condition."""
    return any(picture.condition for picture in palms.pictures)


def drawn_series(palms: PalmSet) -> list[Series]:
    """Return the conditions of a drawn set, in manifest order."""
    rows = [picture for picture in palms.pictures if picture.condition]
    names = dict.fromkeys((one.condition, one.unit) for one in rows)
    return [
        _series(name, unit, [r for r in rows if r.condition == name]) for name, unit in names
    ]


def _series(name: str, unit: str, rows: Sequence[Picture]) -> Series:
    strengths = sorted({one.strength for one in rows if one.role != REFERENCE})
    return Series(name, unit, tuple(strengths), any(r.role == REFERENCE for r in rows))


def applied_series(conditions: Sequence[Condition]) -> list[Series]:
    """Return the conditions that are applied to pictures."""
    return [
        Series(one.name, one.unit, one.strengths, is_placement=one.is_placement)
        for one in conditions
    ]


def plan_trials(
    palms: PalmSet, sizes: Sizes, conditions: Sequence[Condition], series: Sequence[Series]
) -> list[Trial]:
    """Choose palms and pictures, the first ones of each; of drawn ones those of the series.

    Raises:
        DatasetFault: no palm has enough pictures.
    """
    known = list(palms.by_identity().values())
    random.Random(sizes.seed).shuffle(known)  # noqa: S311 -- repeatable, not secret
    drawn = is_drawn(palms)
    wanted = {"", *(one.name for one in series)}
    trials: list[Trial] = []
    for pictures in known[: sizes.palms or None]:
        chosen = _as_drawn(pictures, wanted) if drawn else _split(pictures, sizes, conditions)
        trials += [Trial(p, r, sizes.seed + len(trials) + n, c)
                   for n, (p, r, c) in enumerate(chosen)]  # fmt: skip
    if not any(trial.is_reference for trial in trials):
        raise DatasetFault(f"no palm of {palms.name} has a picture to enrol and another one")
    return trials


def _as_drawn(
    pictures: Sequence[Picture], wanted: set[str]
) -> Iterator[tuple[Picture, bool, tuple[Condition, ...]]]:
    for picture in pictures:
        if picture.condition in wanted:
            yield picture, picture.role == REFERENCE, ()


def _split(
    pictures: Sequence[Picture], sizes: Sizes, conditions: Sequence[Condition]
) -> Iterator[tuple[Picture, bool, tuple[Condition, ...]]]:
    """Enrol the first pictures; the probes are of another session, if there is one."""
    enrolled = pictures[: min(sizes.references, len(pictures) // 2)]
    others = pictures[len(enrolled) :]
    later = [p for p in others if p.session != pictures[0].session]
    for picture in enrolled:
        yield picture, True, ()
    for picture in (later or others)[: sizes.probes] if enrolled else ():
        yield picture, False, tuple(conditions)

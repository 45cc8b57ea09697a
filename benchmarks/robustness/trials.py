"""Choose which pictures are enrolled, and which are probes under which conditions.

Their templates are made unharmed and under every condition and strength.
"""

import random
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Final

import numpy as np

from benchmarks.accuracy.processes import in_order
from benchmarks.datasets import DatasetFault, PalmSet, Picture, located, read_sample, reason_of
from benchmarks.robustness.conditions import Condition, Shown, with_margin
from engine.errors import EngineError
from engine.pipeline import PalmPipeline, load_pipeline
from engine.settings import EngineSettings
from engine.types import PalmTemplate

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


ENROLLED: Final = ""
ENROLLED_WITH_MARGIN: Final = "with margin"
"""Names of the references: whole crops, and their inner part. Hands are the same in both."""


@dataclass(frozen=True, slots=True)
class Taken:
    """The result for one picture under one condition.

    Attributes:
        condition: of a probe, or of a reference's pool.
        template: None if the engine refused it.
        reason: the engine's error code, with the failed quality check; empty with a template.
    """

    identity: str = field(repr=False)
    is_reference: bool
    condition: str
    strength: float
    template: PalmTemplate | None = field(repr=False)
    reason: str = ""


def take(trials: Sequence[Trial], *, workers: int) -> Iterator[list[Taken]]:
    """Yield what became of each trial's picture, in order."""
    return in_order(_take, trials, workers=workers)


@cache
def _pipeline() -> PalmPipeline:
    """Load the pipeline once in each process: networks cannot be sent to it."""
    return load_pipeline(EngineSettings())


def _take(trial: Trial) -> list[Taken]:
    return take_trial(_pipeline(), trial)


def take_trial(pipeline: PalmPipeline, trial: Trial) -> list[Taken]:
    """Return the templates of one picture, or why there are none."""
    picture, wanted = trial.picture, _wanted(trial)
    taken = partial(Taken, picture.identity, trial.is_reference)
    try:
        sample = read_sample(picture.path)
        shown = Shown(sample, located(pipeline, picture, sample), picture.kind)
    except EngineError as fault:
        reason = reason_of(fault)
        return [taken(name, strength, None, reason) for name, strength, _ in wanted]

    @cache
    def unharmed(*, has_margin: bool) -> Made:
        return _made(pipeline, with_margin(shown) if has_margin else shown)

    found = []
    for name, strength, condition in wanted:
        if condition and strength:
            made = _harmed(pipeline, trial, shown, condition, strength)
        else:
            is_placement = condition is not None and condition.is_placement
            made = unharmed(has_margin=is_placement or name == ENROLLED_WITH_MARGIN)
        found.append(taken(name, strength, *made))
    return found


Made = tuple["PalmTemplate | None", str]


def _wanted(trial: Trial) -> list[tuple[str, float, Condition | None]]:
    """Return conditions or pools of references, strengths, and what is applied."""
    picture = trial.picture
    if trial.is_reference and not picture.condition:
        return [(ENROLLED, 0.0, None), (ENROLLED_WITH_MARGIN, 0.0, None)]
    if trial.is_reference or not trial.conditions:
        return [(picture.condition, picture.strength, None)]
    return [(c.name, float(strength), c) for c in trial.conditions for strength in c.strengths]


def _harmed(
    pipeline: PalmPipeline, trial: Trial, shown: Shown, condition: Condition, strength: float
) -> Made:
    """Return a picture's template under a condition; chance is the same at every strength."""
    rng = np.random.default_rng((trial.seed, zlib.crc32(condition.name.encode())))
    start = with_margin(shown) if condition.is_placement else shown
    try:
        sample, landmarks = condition.apply(start, strength, rng)
        moved = landmarks or located(pipeline, trial.picture, sample)
    except EngineError as fault:
        return None, reason_of(fault)
    return _made(pipeline, Shown(sample, moved, shown.kind))


def _made(pipeline: PalmPipeline, shown: Shown) -> Made:
    try:
        return pipeline.extractor.extract(shown.sample, shown.landmarks).template, ""
    except EngineError as fault:
        return None, reason_of(fault)

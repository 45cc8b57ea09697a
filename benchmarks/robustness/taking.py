"""Make templates of pictures, unharmed and under every condition and strength."""

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from benchmarks.accuracy.processes import in_order
from benchmarks.datasets.samples import located, read_sample, reason_of
from benchmarks.robustness.conditions import Condition, Shown, with_margin
from benchmarks.robustness.trials import Trial
from engine.errors import EngineError
from engine.pipeline import PalmPipeline, load_pipeline
from engine.settings import EngineSettings
from engine.types import PalmTemplate

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


_PIPELINE: dict[str, PalmPipeline] = {}
"""Of this process: networks cannot be sent between processes."""


def take(trials: Sequence[Trial], *, workers: int) -> Iterator[list[Taken]]:
    """Yield what became of each trial's picture, in order."""
    return in_order(_take, trials, workers=workers, prepare=_prepare)


def _prepare() -> None:
    _PIPELINE["here"] = load_pipeline(EngineSettings())


def _take(trial: Trial) -> list[Taken]:
    return take_trial(_PIPELINE["here"], trial)


def take_trial(pipeline: PalmPipeline, trial: Trial) -> list[Taken]:
    """Return the templates of one picture, or why there are none."""
    picture = trial.picture
    try:
        sample = read_sample(picture.path)
        shown = Shown(sample, located(pipeline, picture, sample), picture.kind)
    except EngineError as fault:
        return [Taken(picture.identity, *one, None, reason_of(fault)) for one in _wanted(trial)]
    unharmed = {
        has_margin: _made(pipeline, with_margin(shown) if has_margin else shown)
        for has_margin in (False, True)
    }
    by_name = {one.name: one for one in trial.conditions}
    return [
        Taken(picture.identity, *one, *_under(pipeline, trial, shown, by_name, one, unharmed))
        for one in _wanted(trial)
    ]


Wanted = tuple[bool, str, float]
"""Whether it is a reference, the condition or pool, the strength."""

Made = tuple["PalmTemplate | None", str]


def _wanted(trial: Trial) -> list[Wanted]:
    picture = trial.picture
    if trial.is_reference and not picture.condition:
        return [(True, ENROLLED, 0.0), (True, ENROLLED_WITH_MARGIN, 0.0)]
    if trial.is_reference or not trial.conditions:
        return [(trial.is_reference, picture.condition, picture.strength)]
    return [
        (False, one.name, float(strength))
        for one in trial.conditions
        for strength in one.strengths
    ]


def _under(
    pipeline: PalmPipeline,
    trial: Trial,
    shown: Shown,
    conditions: dict[str, Condition],
    wanted: Wanted,
    unharmed: dict[bool, Made],
) -> Made:
    """Return a picture's template under a condition; chance is the same at every strength."""
    is_reference, name, strength = wanted
    if is_reference or name not in conditions:
        return unharmed[name == ENROLLED_WITH_MARGIN]
    condition = conditions[name]
    if not strength:
        return unharmed[condition.is_placement]
    rng = np.random.default_rng((trial.seed, zlib.crc32(name.encode())))
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

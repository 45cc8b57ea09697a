"""The conditions that are applied to pictures, each at rising strengths."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.datasets import CROP
from benchmarks.robustness import picture_harm
from benchmarks.robustness.covers import COVERS, covered
from benchmarks.robustness.picture_harm import (
    Square,
    inner,
    resized,
    shifted,
    square_of,
    turned,
)
from engine.types import PalmLandmarks, PalmSample

Pixels = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Shown:
    """An unharmed picture with its palm.

    Attributes:
        kind: ``hand`` or ``roi``.
    """

    sample: PalmSample
    landmarks: PalmLandmarks
    kind: str

    @property
    def square(self) -> Square:
        """Where the palm is."""
        return square_of(self.landmarks)


Harmed = tuple[PalmSample, PalmLandmarks | None]
"""A picture, and where its palm is taken to be; None: it must be located again."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A change of the probe, in several strengths.

    Attributes:
        unit: of the strengths; percentages are of the side of the region of interest.
        strengths: rising; 0 is unharmed.
        is_placement: the region is moved, the picture stays. Crops are then measured by
            ``INNER_SHARE`` of their side, references too.
    """

    name: str
    unit: str
    strengths: tuple[float, ...]
    apply: Callable[[Shown, float, np.random.Generator], Harmed] = field(repr=False)
    is_placement: bool = False

    def __reduce__(self) -> tuple[Callable[[str], "Condition"], tuple[str]]:
        """Go to another process by name: what is done cannot be sent."""
        return _named, (self.name,)


def _named(name: str) -> Condition:
    return next(one for one in CONDITIONS if one.name == name)


def with_margin(shown: Shown) -> Shown:
    """Return a crop's inner part, a whole hand as it is."""
    if shown.kind != CROP:
        return shown
    return replace(shown, landmarks=inner(shown.landmarks, shown.square))


Move = Callable[[PalmLandmarks, Square, float, np.random.Generator], PalmLandmarks]


def _moved(*moves: tuple[Move, float]) -> Callable[[Shown, float, np.random.Generator], Harmed]:
    """Return misplacements, one after the other, each times its factor."""

    def apply(shown: Shown, strength: float, rng: np.random.Generator) -> Harmed:
        landmarks = shown.landmarks
        for move, factor in moves:
            square = square_of(landmarks)
            landmarks = move(landmarks, square, factor * strength, rng)
        return shown.sample, landmarks

    return apply


def _pixels(
    harm: Callable[[Shown, float, np.random.Generator], Pixels],
) -> Callable[[Shown, float, np.random.Generator], Harmed]:
    def apply(shown: Shown, strength: float, rng: np.random.Generator) -> Harmed:
        return PalmSample(harm(shown, strength, rng)), None

    return apply


def _cut(shown: Shown, percent: float, rng: np.random.Generator) -> Pixels:
    if shown.kind == CROP:
        return picture_harm.covered(shown.sample.pixels, percent / 100, rng)
    return picture_harm.cut_off(shown.sample.pixels, shown.square, percent / 100, rng)


def _covering(kind: str) -> Condition:
    """Return a thing on the palm; the region stays where the bare palm has it."""

    def apply(shown: Shown, percent: float, rng: np.random.Generator) -> Harmed:
        worn = covered(kind, shown.sample, shown.landmarks, percent / 100, rng)
        return worn, shown.landmarks

    return Condition(f"cover: {kind}", "% of the palm", (0, 10, 20, 30, 40, 50), apply)


CONDITIONS: Final = (
    Condition("shift", "% of the palm", (0, 5, 10, 15, 20),
              _moved((shifted, 0.01)), is_placement=True),
    Condition("turn", "degrees", (0, 3, 6, 9, 12, 15), _moved((turned, 1)), is_placement=True),
    Condition("size", "% larger or smaller", (0, 5, 10, 15, 20),
              _moved((resized, 0.01)), is_placement=True),
    Condition("shift with turn and size", "% of the palm, and half as many degrees and %",
              (0, 5, 10, 15, 20),
              _moved((shifted, 0.01), (turned, 0.5), (resized, 0.005)), is_placement=True),
    Condition("darkness", "stops", (0, 1, 2, 3, 4, 5), _pixels(
        lambda shown, stops, _: picture_harm.darkened(shown.sample.pixels, stops))),
    Condition("brightness", "stops", (0, 0.5, 1, 1.5, 2), _pixels(
        lambda shown, stops, _: picture_harm.brightened(shown.sample.pixels, stops))),
    Condition("light from a side", "stops across the palm", (0, 1, 2, 3, 4), _pixels(
        lambda shown, stops, rng: picture_harm.lit_from_a_side(
            shown.sample.pixels, shown.square, stops, rng))),
    Condition("motion blur", "% of the palm", (0, 2, 4, 6, 8, 10), _pixels(
        lambda shown, percent, rng: picture_harm.streaked(
            shown.sample.pixels, shown.square, percent / 100, rng))),
    Condition("noise", "grey levels", (0, 8, 16, 24, 32, 40), _pixels(
        lambda shown, levels, rng: picture_harm.noisy(shown.sample.pixels, levels, rng))),
    Condition("cut edge", "% of the palm", (0, 5, 10, 15, 20, 25), _pixels(_cut)),
    Condition("near infrared", "of the way", (0, 0.25, 0.5, 0.75, 1), _pixels(
        lambda shown, share, rng: picture_harm.near_infrared(
            shown.sample.pixels, shown.square, share, rng))),
    *map(_covering, COVERS),
)  # fmt: skip
"""What stands before a colon names a family; the strength 0 is unharmed."""

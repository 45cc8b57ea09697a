"""Random motions, places and times that a person has to show: no recording foresees them."""

from __future__ import annotations

import itertools
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import Final

from pydantic import TypeAdapter

from engine.presentation_attack import parameters as tuned


class Motion(StrEnum):
    """A motion of the fingers; it begins and ends with the relaxed open hand."""

    FOLD_THUMB = "fold_thumb"
    SPREAD_FINGERS = "spread_fingers"
    CLOSE_FINGERS = "close_fingers"
    LOOSE_FIST = "loose_fist"


SHOWN: Final = frozenset({Motion.SPREAD_FINGERS, Motion.CLOSE_FINGERS})
"""Motions in which the palm stays in sight."""


@dataclass(frozen=True, slots=True)
class Outline:
    """The place and size that the open palm has to have.

    Attributes:
        x: mean of landmarks 0, 5 and 17, as a share of the frame's width.
        y: the same, as a share of the frame's height.
        size: distance of landmarks 5 and 17, as a share of the frame's shorter side.
    """

    x: float
    y: float
    size: float


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do.

    Attributes:
        hold_s: how long the motion is held.
        tilt_deg: where the open hand is tilted to by some 25 degrees after the motion, in the
            picture: 0 right, 90 up; None: it is not.
    """

    motion: Motion
    outline: Outline
    hold_s: float
    tilt_deg: float | None = None


@dataclass(frozen=True, slots=True)
class Challenge:
    """Steps in their order. A step is sent only after the one before was answered."""

    steps: tuple[Step, ...]

    def to_json(self) -> str:
        """Return it as JSON."""
        return _CHALLENGE.dump_json(self).decode()

    @staticmethod
    def from_json(text: str) -> Challenge:
        """Read what ``to_json`` wrote."""
        return _CHALLENGE.validate_json(text)


def draw_challenge(random: Random, motions: Collection[Motion] = tuple(Motion)) -> Challenge:
    """Draw a challenge of the motions that a person can do; one step has a tilt.

    Raises:
        ValueError: fewer than two motions.
    """
    chosen = random.choice(_orders(motions))
    tilted = random.randrange(len(chosen))
    return Challenge(
        tuple(
            Step(
                motion=motion,
                outline=_outline(random),
                hold_s=round(random.uniform(*tuned.CHALLENGE_HOLD_S), 2),
                tilt_deg=round(random.uniform(0, 360), 1) if number == tilted else None,
            )
            for number, motion in enumerate(chosen)
        )
    )


def _orders(motions: Collection[Motion]) -> list[tuple[Motion, ...]]:
    """Return the orders of motions, at least two of them different.

    One shows the palm, if the person can do it: behind a folded thumb or in a fist, half a palm
    says little of whose it is.
    """
    orders = itertools.product(sorted(set(motions)), repeat=tuned.CHALLENGE_STEPS)
    mixed = [one for one in orders if len(set(one)) > 1]
    if not mixed:
        raise ValueError("a challenge needs two motions")
    return [one for one in mixed if SHOWN & {*one}] or mixed


def _outline(random: Random) -> Outline:
    """Draw a place at which the whole hand is in the frame, upright or lying."""
    size = random.uniform(*tuned.CHALLENGE_OUTLINE_SIZE)
    across, down = _centres(size)
    x, y = random.uniform(*across), random.uniform(*down)
    return Outline(round(x, 3), round(y, 3), round(size, 3))


def _centres(size: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return where the palm's centre may be, across and down, shares of width and height."""
    beside, above, below = tuned.CHALLENGE_REACH
    return (beside * size, 1 - beside * size), (above * size, 1 - below * size)


_CHALLENGE: Final = TypeAdapter(Challenge)

"""Drawn hands under conditions: poses and distances, each at several strengths, easy to hard.

The photos of ``thenar models vary``: enrolled ones first, then each condition's. The manifest
says which is which.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

import numpy as np

from engine.types import Hand
from models.synthesis.photo import Change
from models.synthesis.photo_folder import HEADING, Plan, PlannedPhoto, row_of
from models.synthesis.pose import FAN, Pose

SPREAD_RAD: Final = 0.21
"""Between two fingers beyond rest, wide open. As in the drawn challenges."""

TOGETHER_RAD: Final = -0.05
"""Between two fingers beyond rest: neighbours touch along their length."""

SPREAD_WIDENING: Final = 0.06
TOGETHER_WIDENING: Final = -0.02
"""Of the row of knuckles. Assumed, not measured on people."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition that makes photos harder.

    Attributes:
        unit: of the strengths.
        strengths: rising.
        change: from a strength and a direction in radians, the photo's change.
        enrolled: change of the enrolled photos; None: those without a condition are enrolled.
    """

    name: str
    unit: str
    strengths: tuple[float, ...]
    change: Callable[[float, float], Change] = field(repr=False)
    enrolled: Change | None = field(default=None, repr=False)


def _fanned(share: float) -> Change:
    """Return the change to fingers from spread (0) to together (1)."""

    def pose_of(pose: Pose) -> Pose:
        uneven = pose.spread - pose.spread.mean() - FAN * (pose.spread @ FAN) / 5
        return replace(
            pose,
            spread=FAN * _between(SPREAD_RAD, TOGETHER_RAD, share) + 0.5 * uneven,
            thumb_swing=pose.thumb_swing + _between(0.25, -0.15, share),
            widening=_between(SPREAD_WIDENING, TOGETHER_WIDENING, share),
        )

    return Change(pose_of)


def _between(start: float, end: float, share: float) -> float:
    return start + share * (end - start)


def _thumb_folded(share: float) -> Change:
    def pose_of(pose: Pose) -> Pose:
        return replace(
            pose,
            thumb_fold=share * np.array([0.35, 0.75, 0.55]),
            thumb_curl=pose.thumb_curl + share * np.array([0.50, 0.10, 0.10]),
        )

    return Change(pose_of)


def _tilted(degrees: float, direction_rad: float) -> Change:
    tilt = np.deg2rad(degrees)

    def pose_of(pose: Pose) -> Pose:
        pitch = pose.pitch + tilt * np.sin(direction_rad)
        return replace(pose, pitch=pitch, yaw=pose.yaw + tilt * np.cos(direction_rad))

    return Change(pose_of)


def _away(times: float) -> Change:
    return Change(lambda pose: pose, times)


CONDITIONS: Final = (
    Condition(
        "fingers together against spread", "of the way", (0.0, 0.25, 0.5, 0.75, 1.0),
        lambda share, _: _fanned(share), _fanned(0.0),
    ),
    Condition("thumb across the palm", "of the way", (0.0, 0.25, 0.5, 0.75, 1.0),
              lambda share, _: _thumb_folded(share)),
    Condition("tilt", "degrees", (0.0, 10.0, 15.0, 20.0, 25.0, 30.0), _tilted),
    Condition("distance", "times as far", (1.0, 1.25, 1.5, 1.75, 2.0, 2.25),
              lambda times, _: _away(times)),
)  # fmt: skip
"""In the order in which they are drawn; strengths at which nothing changes included."""


ENROLLED: Final = 2
"""Photos of a hand that are enrolled, for each way of enrolling."""

_Way = tuple[str, str, str, str, Change | None]
"""Condition, strength, unit, role, and how the photo is changed."""


def conditions_plan(people: int, seed: int, size_px: int) -> Plan:
    """Return what a folder holds: two hands of each person under every condition."""
    heading = (*HEADING, "condition", "strength", "unit", "role")
    return Plan(people, tuple(Hand), seed, size_px, partial(_photos_of, seed), heading)


def _photos_of(seed: int, person: int, hand: Hand) -> list[PlannedPhoto]:
    rng = np.random.default_rng((seed, person, list(Hand).index(hand)))
    ways = _ways(float(rng.uniform(0, 2 * np.pi)))
    return [
        PlannedPhoto(shot, (*row_of(person, hand, shot), *way[:4]), way[4])
        for shot, way in enumerate(ways, 1)
    ]


def _ways(direction_rad: float) -> list[_Way]:
    ways: list[_Way] = [("", "", "", "reference", None)] * ENROLLED
    for one in CONDITIONS:
        if one.enrolled is not None:
            ways += [(one.name, "", one.unit, "reference", one.enrolled)] * ENROLLED
        ways += [
            (one.name, f"{strength:g}", one.unit, "probe", one.change(strength, direction_rad))
            for strength in one.strengths
        ]
    return ways

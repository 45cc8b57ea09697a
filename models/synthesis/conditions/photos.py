"""The photos of a hand under conditions: enrolled ones first, then each condition's."""

from functools import partial
from typing import Final

import numpy as np

from engine.types import Hand
from models.synthesis.conditions.changes import CONDITIONS
from models.synthesis.photo import Change
from models.synthesis.photo_folder import HEADING, Plan, PlannedPhoto, row_of

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

"""Drawn hands under conditions: each requested condition is drawn, and the manifest says so."""

import csv

import numpy as np
import pytest

from engine.types import Hand
from models.synthesis.conditions import CONDITIONS, ENROLLED, conditions_plan
from models.synthesis.photo import draw_photo
from models.synthesis.photo_folder import write_manifest

BY_NAME = {one.name: one for one in CONDITIONS}
PLAN = conditions_plan(people=2, seed=5, size_px=240)


def joints(name, strength):
    """Return the landmarks of a drawn hand under a condition, pixels."""
    change = BY_NAME[name].change(strength, 0.0)
    return draw_photo(3, Hand.LEFT, 1, size_px=240, change=change).joints


def gap(points):
    """Return the distance of the tips of index and little finger, in palm widths."""
    return np.hypot(*(points[8] - points[20])) / np.hypot(*(points[5] - points[17]))


def test_fingers_go_from_spread_to_together():
    """And the row of knuckles with them: that is what moves the palm's lines."""
    spread, together = (joints("fingers together against spread", s) for s in (0.0, 1.0))

    assert gap(spread) > 1.7
    assert gap(together) < 1.2


def test_a_hand_twice_as_far_is_half_as_large():
    """The picture keeps its size."""
    near, far = (joints("distance", times) for times in (1.0, 2.0))
    sizes = [np.hypot(*(points[0] - points[9])) for points in (near, far)]

    assert sizes[0] / sizes[1] == pytest.approx(2, rel=0.02)


def test_a_tilted_hand_is_narrower_by_its_cosine():
    """About its long axis, when the direction is 0; the draw itself tilts by some degrees."""
    flat, tilted = (joints("tilt", degrees) for degrees in (0.0, 30.0))
    breadths = [np.hypot(*(points[5] - points[17])) for points in (flat, tilted)]
    lengths = [np.hypot(*(points[0] - points[9])) for points in (flat, tilted)]

    assert breadths[1] / lengths[1] < 0.95 * breadths[0] / lengths[0]


def test_the_manifest_names_every_photo_once_with_its_condition(tmp_path):
    """Pictures that are enrolled for one condition only say so."""
    rows = list(csv.DictReader(write_manifest(PLAN, tmp_path).read_text().splitlines()))

    assert (
        len({row["path"] for row in rows}) == len(rows) == 4 * len(PLAN.photos_of(1, Hand.LEFT))
    )
    enrolled = [
        (row["condition"]) for row in rows[: len(rows) // 4] if row["role"] == "reference"
    ]
    assert enrolled == [""] * ENROLLED + ["fingers together against spread"] * ENROLLED
    for one in CONDITIONS:
        strengths = {
            float(r["strength"]) for r in rows if r["condition"] == one.name and r["strength"]
        }
        assert strengths == set(one.strengths)

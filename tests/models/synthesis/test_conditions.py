"""Drawn hands under conditions: each requested condition is drawn, and the manifest says so."""

import csv

import numpy as np

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

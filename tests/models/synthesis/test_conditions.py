"""Drawn hands under conditions: each requested condition is drawn, and the manifest says so."""

import csv

from engine.types import Hand
from models.synthesis.conditions import CONDITIONS, ENROLLED, conditions_plan
from models.synthesis.photo_folder import write_manifest

PLAN = conditions_plan(people=2, seed=5, size_px=240)


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

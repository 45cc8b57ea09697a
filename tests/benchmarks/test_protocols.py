"""The plan of a journey: people who are enrolled, and their probes."""

from pathlib import Path

import pytest

from benchmarks.datasets import DatasetFault, PalmSet, Picture
from benchmarks.journey.run import plan_journey


def palm_set(palms: int = 10, pictures: int = 5) -> PalmSet:
    """Return a set of made-up pictures, one of an unknown person, one without a hand."""
    known = [
        Picture(Path(f"{palm}-{shot}.jpg"), f"p{palm}", "L", "hand", f"p{palm}")
        for palm in range(palms)
        for shot in range(pictures)
    ]
    wild = Picture(Path("wild.jpg"), "", "", "hand", "")
    table = Picture(Path("table.jpg"), "", "", "negative", "")
    return PalmSet("made-up", "0" * 64, (*known, wild, table))


def test_no_person_is_both_enrolled_and_counted_as_not_enrolled():
    """An enrolled person would match, and count as a false match."""
    plan = plan_journey(palm_set(), enrol=6, samples=3, seed=1)

    enrolled = {palm.identity for palm in plan.palms}
    assert len(enrolled) == 6
    assert enrolled.isdisjoint(picture.identity for picture in plan.unenrolled)
    assert len(plan.unenrolled) == 4 * 5 + 1


def test_a_set_without_a_palm_to_enrol_is_refused():
    """With an empty gallery no one is let in: that would look perfect."""
    with pytest.raises(DatasetFault, match="more than 5 pictures"):
        plan_journey(palm_set(), enrol=6, samples=5, seed=1)

"""Who is enrolled, and what is shown."""

from pathlib import Path

from benchmarks.datasets.manifest import PalmSet, Picture
from benchmarks.journey.plan import limited, plan_journey


def palm_set(palms: int = 10, pictures: int = 5) -> PalmSet:
    """Return a set of made-up pictures, with one of nobody and one that is no hand."""
    known = [
        Picture(Path(f"{palm}-{shot}.jpg"), f"p{palm}", "L", "hand", f"p{palm}")
        for palm in range(palms)
        for shot in range(pictures)
    ]
    wild = Picture(Path("wild.jpg"), "", "", "hand", "")
    table = Picture(Path("table.jpg"), "", "", "negative", "")
    return PalmSet("made-up", "0" * 64, (*known, wild, table))


def test_nobody_is_both_enrolled_and_a_stranger():
    """A stranger who is enrolled would be let in, and be right."""
    plan = plan_journey(palm_set(), enrol=6, samples=3, seed=1)

    enrolled = {palm.identity for palm in plan.palms}
    assert len(enrolled) == 6
    assert enrolled.isdisjoint(picture.identity for picture in plan.strangers)
    assert len(plan.strangers) == 4 * 5 + 1


def test_some_palms_stay_strangers_however_many_are_asked_for():
    """A result without strangers says nothing about false matches."""
    plan = plan_journey(palm_set(), enrol=1000, samples=3, seed=1)

    assert len(plan.palms) == 8


def test_a_palm_needs_a_picture_to_log_in_with():
    """Palms with too few pictures are strangers, never half-tested."""
    plan = plan_journey(palm_set(pictures=3), enrol=5, samples=3, seed=1)

    assert plan.palms == ()
    assert len(plan.strangers) == 10 * 3 + 1


def test_the_seed_chooses_and_repeats():
    """The same seed gives the same people, another one others."""
    plans = [plan_journey(palm_set(), enrol=5, samples=3, seed=seed) for seed in (1, 1, 2)]

    assert plans[0] == plans[1]
    assert plans[0].palms != plans[2].palms


def test_probes_can_be_limited():
    """A short run looks at a sample of the probes; without a limit all are shown."""
    assert limited([1, 2, 3], None, 1) == [1, 2, 3]
    assert limited([1, 2, 3], 5, 1) == [1, 2, 3]
    assert len(set(limited(range(100), 10, 1))) == 10

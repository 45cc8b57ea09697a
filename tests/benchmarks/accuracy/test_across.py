"""Non-mated pairs of several sets: each once, of one hand, never of one palm."""

from __future__ import annotations

import numpy as np

from benchmarks.accuracy.across import Crowd, compare_crowd, numbers_of
from engine.types import Hand
from tests.support.palms.templates import template_of


def test_pairs_are_counted_by_sets_and_false_ones_among_them():
    """Palm 7 is enrolled in both sets: a label error there would be a false match."""
    left = [template_of(seed) for seed in (1, 1, 2, 7, 7, 8)]
    crowd = Crowd(
        templates=[*left, template_of(9, hand=Hand.RIGHT)],
        palms=np.array([0, 0, 1, 2, 3, 4, 5]),
        sets=np.array([0, 0, 0, 1, 1, 1]),
        names=("one", "two"),
    )

    numbers = numbers_of(crowd, compare_crowd(crowd, {"high": 0.9, "low": 0.0}))

    found = {tuple(line["sets"]): line["fmr"] for line in numbers["pairs"]}
    assert numbers["pairs"][0]["fmr"]["low"]["total"] == 14
    assert found["one", "one"]["low"]["total"] == 5
    assert found["one", "two"]["low"]["total"] == 8
    assert found["two", "two"]["low"]["total"] == 1
    assert found["one", "two"]["high"]["count"] == 1
    assert found["one", "one"]["high"]["count"] == 0
    assert numbers["palms"] == 6

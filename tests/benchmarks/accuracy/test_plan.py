"""Which comparisons are made, listed pair by pair."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.accuracy.acquisition import Acquired
from benchmarks.accuracy.plan import plan_comparisons
from benchmarks.datasets import Picture
from engine.types import Hand


def picture(identity: str, hand: str = "L", session: str = "1", kind: str = "hand") -> Picture:
    """Return a row of a manifest."""
    return Picture(Path("x.png"), identity, hand, kind, identity, session)


def acquired(row: int, hand: Hand = Hand.LEFT) -> Acquired:
    """Return what a picture gave; features do not matter here."""
    return Acquired(row, hand, np.zeros(512, np.uint8), ())


def pairs_of(pictures, outcomes=None):
    """Return the plan, and its pairs of manifest rows: mated and non-mated."""
    if outcomes is None:
        outcomes = [acquired(row) for row in range(len(pictures))]
    plan = plan_comparisons(pictures, outcomes)
    mated: set[frozenset[int]] = set()
    nonmated: set[frozenset[int]] = set()
    for (probe, reference), own in zip(*plan.pairs(), strict=True):
        pair = frozenset((int(plan.rows[probe]), int(plan.rows[reference])))
        assert pair not in mated | nonmated, "compared twice"
        (mated if own else nonmated).add(pair)
    return plan, mated, nonmated


def pairs(*rows):
    """Return unordered pairs."""
    return {frozenset(pair) for pair in rows}


def test_of_one_session_each_pair_is_compared_once():
    """All pairs of one side; a palm with itself never."""
    _, mated, nonmated = pairs_of([picture("a"), picture("a"), picture("b")])

    assert mated == pairs((0, 1))
    assert nonmated == pairs((0, 2), (1, 2))


def test_left_and_right_are_never_compared():
    """No service compares them; they would be cheap non-mated comparisons."""
    _, mated, nonmated = pairs_of([picture("a"), picture("b", "R"), picture("c", "right")])

    assert mated == set()
    assert nonmated == pairs((1, 2))


def test_of_several_sessions_both_pictures_are_of_different_ones():
    """Pictures of one sitting are alike for reasons that have nothing to do with the palm."""
    rows = [
        picture("a"), picture("a"), picture("b"),
        picture("a", session="2"), picture("b", session="2"), picture("c", session="10"),
    ]  # fmt: skip
    _, mated, nonmated = pairs_of(rows)

    assert mated == pairs((0, 3), (1, 3), (2, 4))
    assert nonmated == pairs((0, 4), (1, 4), (2, 3), *((5, row) for row in range(5)))


@pytest.mark.parametrize(("shots", "enrolled"), [(1, 0), (2, 1), (5, 2), (9, 3)])
def test_of_one_session_the_first_pictures_are_the_gallery(shots, enrolled):
    """At most three, as many as a person enrols; at least as many are left to search for."""
    plan, _, _ = pairs_of([picture("a")] * shots + [picture("b")] * 4)
    own = plan.identities == 0
    gallery = np.arange(len(plan.rows)) < plan.gallery_ends

    assert (own & gallery).sum() == enrolled
    assert (own & plan.is_probe).sum() == shots - enrolled


def test_of_several_sessions_the_first_is_the_gallery():
    """References of the first session are searched by samples of later ones."""
    rows = [picture("a"), picture("b"), picture("a", session="2"), picture("c", session="2")]
    plan, _, _ = pairs_of(rows)
    gallery = np.arange(len(plan.rows)) < plan.gallery_ends

    assert set(plan.rows[gallery].tolist()) == {0, 1}
    assert set(plan.rows[plan.is_probe].tolist()) == {2, 3}

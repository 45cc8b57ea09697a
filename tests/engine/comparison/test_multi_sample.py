"""fusion: the score of several probes with several references."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from engine.comparison.compare import fuse, fuse_groups

scores = npst.arrays(
    np.float32,
    st.tuples(st.integers(1, 4), st.integers(1, 5)),
    elements=st.floats(0, 1, width=32),
)


def test_one_comparison_is_its_own_score():
    """The threshold was calibrated on single comparisons."""
    assert fuse(np.array([[0.75]], np.float32)) == (0.75, 0)


def test_the_best_comparison_counts():
    """Thresholds count every comparison, so that it is no second chance for others."""
    table = np.array([[0.25, 0.75, 0.5], [0.25, 0.5, 0.625]], np.float32)

    assert fuse(table) == (0.75, 1)


@given(table=scores, probe=st.integers(0, 3), reference=st.integers(0, 4))
def test_what_is_no_number_never_helps(table, probe, reference):
    """Not-a-number compares as false with everything, so it must not be averaged in."""
    broken = table.copy()
    broken[probe % len(table), reference % table.shape[1]] = np.nan

    assert fuse(broken)[0] <= fuse(table)[0]
    assert fuse(np.full_like(table, np.nan))[0] == -np.inf


@given(
    sizes=st.lists(st.integers(1, 4), min_size=1, max_size=6),
    probes=st.integers(1, 3),
    seed=st.integers(0, 2**32 - 1),
)
def test_groups_are_fused_together_as_each_alone(sizes, probes, seed):
    """A search and a verification must give one score, to the last bit, ties and all."""
    rng = np.random.default_rng(seed)
    table = (rng.integers(0, 4, (probes, sum(sizes))) / 3).astype(np.float32)
    table[rng.random(table.shape) < 0.1] = np.nan
    firsts = np.cumsum([0, *sizes])
    alone = [fuse(table[:, a:b]) for a, b in pairwise(firsts)]

    scores, best = fuse_groups(table, firsts)

    assert scores.tolist() == [score for score, _ in alone]
    assert (best - firsts[:-1]).tolist() == [number for _, number in alone]

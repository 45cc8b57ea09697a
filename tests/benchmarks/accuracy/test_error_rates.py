"""Error rates against definitions, and against another implementation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.accuracy.rates.error_rates import crossing, error_rates

SCORES = st.lists(st.integers(0, 40), min_size=1, max_size=60).map(
    lambda values: np.array(values, np.float32) / 40
)


def drawn_scores(seed: int, *, steps: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return overlapping mated and non-mated scores, many of them equal if rounded."""
    rng = np.random.default_rng(seed)
    mated = rng.normal(0.75, 0.08, 1500).astype(np.float32)
    nonmated = rng.normal(0.55, 0.05, 40_000).astype(np.float32)
    if steps is None:
        return mated, nonmated
    return np.round(mated * steps) / steps, np.round(nonmated * steps) / steps


@given(SCORES, SCORES, st.sampled_from([0.5, 0.1, 1e-2, 1e-6]))
def test_a_threshold_keeps_its_rate_and_is_the_lowest(mated, nonmated, fmr):
    """A threshold that let one more in, or kept one more out, would misstate the FNMR."""
    rates = error_rates(mated, nonmated)
    threshold = rates.threshold_for_fmr(fmr)

    assert rates.fmr(threshold) <= fmr
    below = np.nextafter(np.float32(threshold), np.float32(-np.inf))
    assert rates.fmr(float(below)) > fmr


@given(SCORES, SCORES)
def test_the_equal_error_rate_is_that_of_trying_every_threshold(mated, nonmated):
    """The crossing is looked for by halves: none of all thresholds may give another one."""
    rates = error_rates(mated, nonmated)
    thresholds = np.unique(np.concatenate([rates.mated, rates.nonmated]))
    every = [*thresholds, np.nextafter(thresholds[-1], np.float32(np.inf))]
    fmr = np.array([np.mean(rates.nonmated >= one) for one in every])
    fnmr = np.array([np.mean(rates.mated < one) for one in every])

    assert rates.equal_error_rate() == pytest.approx(crossing(fmr, fnmr), abs=1e-12)


@pytest.mark.parametrize("threshold", [0.1, 0.7, -0.1, -0.7, 0.0, np.inf, -np.inf])
def test_a_threshold_between_two_scores_that_can_be_lets_the_right_ones_pass(threshold):
    """Thresholds have more digits than scores: rounding one must not move a score across it."""
    near = np.float32(threshold)
    around = np.array([np.nextafter(near, np.float32(-np.inf)), near, np.nextafter(near, np.float32(np.inf))])  # fmt: skip # noqa: E501
    rates = error_rates(around, around)

    assert rates.false_matches(threshold) == int((around.astype(float) >= threshold).sum())
    assert rates.false_non_matches(threshold) == int((around.astype(float) < threshold).sum())

"""Error rates against definitions, and against another implementation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyeer.eer_info import get_eer_stats

from benchmarks.accuracy.rates.error_rates import crossing, error_rates
from benchmarks.accuracy.rates.evaluation import key_figures

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


@pytest.mark.parametrize("steps", [None, 64])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_key_figures_are_those_of_pyeer(seed, steps):
    """Two implementations, one definition (FVC2000); also with many equal scores."""
    mated, nonmated = drawn_scores(seed, steps=steps)

    stats = get_eer_stats(mated.astype(float), nonmated.astype(float))
    ours = error_rates(mated, nonmated)

    assert ours.equal_error_rate() == pytest.approx(stats.eer, abs=1e-12)
    assert ours.d_prime() == pytest.approx(stats.decidability, rel=1e-4)
    # With equal scores pyeer takes the nearest FMR, which may be above the limit.
    if steps is None:
        figures = key_figures(ours)
        assert figures["fmr100"] == pytest.approx(stats.fmr100, rel=1e-3)
        assert figures["fmr1000"] == pytest.approx(stats.fmr1000, rel=1e-3)


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

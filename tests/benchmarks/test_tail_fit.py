"""The fit finds the distribution that the scores were drawn from, and never promises more."""

import numpy as np
import pytest

from benchmarks.calibration.fit import SetCounts, fit_non_mated, fit_tail

COUNTS = SetCounts("made up", 10, 100)


@pytest.mark.parametrize("shape", [0.1, 0.3])
def test_a_heavy_tail_is_found(shape):
    """Scores with a long tail need a much higher threshold for a rare rate."""
    uniform = np.random.default_rng(1).random(200_000)
    excesses = 0.01 * ((1 - uniform) ** -shape - 1) / shape

    scale, found = fit_tail(excesses)

    assert found == pytest.approx(shape, abs=0.03)
    assert scale == pytest.approx(0.01, rel=0.05)


def test_thresholds_hold_on_fresh_scores_of_the_same_kind():
    """Beyond the rates that the fitted scores show: for normal ones on the safe side."""
    rng = np.random.default_rng(2)
    fit = fit_non_mated(rng.normal(0.6, 0.01, 300_000), COUNTS)
    fresh = rng.normal(0.6, 0.01, 5_000_000)

    assert np.mean(fresh >= fit.threshold_for_fmr(0.05)) == pytest.approx(0.05, rel=0.03)
    assert np.mean(fresh >= fit.threshold_for_fmr(1e-3)) == pytest.approx(1e-3, rel=0.15)
    assert np.mean(fresh >= fit.threshold_for_fmr(1e-5)) <= 1.2e-5

"""Intervals from drawing subjects, against what must come out."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.accuracy.bootstrap import Scored, bootstrap
from benchmarks.accuracy.error_rates import ErrorRates, error_rates


def scores_of(
    people: int, shots: int, *, spread: float, seed: int = 1
) -> tuple[ErrorRates, Scored, Scored]:
    """Return made-up scores of so many people, who differ by a spread."""
    dice = np.random.default_rng(seed)
    subjects = np.repeat(np.arange(people, dtype=np.int32), shots)
    ease = dice.normal(0, spread, people)
    probes, references = np.triu_indices(people * shots, 1)
    pairs = np.stack([probes, references], axis=1).astype(np.int32)
    own = subjects[probes] == subjects[references]
    noise = dice.normal(0, 0.06, probes.size)
    scores = np.where(own, 0.75 + ease[subjects[probes]], 0.55) + noise
    kinds = [(scores[chosen].astype(np.float32), pairs[chosen]) for chosen in (own, ~own)]
    mated, nonmated = (Scored(values, subjects, places) for values, places in kinds)
    return error_rates(mated.scores, nonmated.scores), mated, nonmated


def test_one_draw_of_everybody_is_what_was_observed():
    """Drawn curves and observed rates count the same things the same way."""
    rates, mated, nonmated = scores_of(20, 4, spread=0.05)
    drawn = bootstrap(rates, mated, nonmated, seed=1, draws=400)

    for place in range(0, drawn.thresholds.size, 40):
        threshold = float(np.float32(drawn.thresholds[place]))
        assert drawn.fnmr[:, place].mean() == pytest.approx(rates.fnmr(threshold), abs=0.02)
        assert drawn.fmr[:, place].mean() == pytest.approx(rates.fmr(threshold), abs=0.02)


def test_intervals_hold_what_was_observed():
    """At every FMR that the scores can show."""
    rates, mated, nonmated = scores_of(40, 4, spread=0.05)
    drawn = bootstrap(rates, mated, nonmated, seed=1)

    for fmr in (0.1, 1e-2, 1e-3):
        low, high = drawn.fnmr_interval(fmr)
        threshold = rates.threshold_for_fmr(fmr)
        assert low <= rates.fnmr(threshold) <= high
        low, high = drawn.fmr_interval(threshold)
        assert low <= rates.fmr(threshold) <= high
    low, high = drawn.eer_interval()
    assert low <= rates.equal_error_rate() <= high


def test_people_who_differ_make_intervals_wider():
    """That is why people are drawn, not comparisons."""
    widths = []
    for spread in (0.0, 0.1):
        drawn = bootstrap(*scores_of(30, 6, spread=spread), seed=1)
        low, high = drawn.fnmr_interval(0.1)
        widths.append((high - low) / max(high, 1e-9))

    assert widths[1] > widths[0]


def test_the_seed_repeats():
    """The same report twice, to the last digit."""
    case = scores_of(10, 3, spread=0.05)
    one, again, other = (bootstrap(*case, seed=seed, draws=20) for seed in (1, 1, 2))

    assert np.array_equal(one.fnmr, again.fnmr)
    assert not np.array_equal(one.fnmr, other.fnmr)


def test_curves_fall_and_rise():
    """A band is drawn from them."""
    drawn = bootstrap(*scores_of(10, 3, spread=0.05), seed=1, draws=20)

    assert np.all(np.diff(drawn.fmr) <= 1e-12)
    assert np.all(np.diff(drawn.fnmr) >= -1e-12)
    assert drawn.band(np.array([0.1, 0.01])).shape == (2, 2)

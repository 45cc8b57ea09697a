"""Intervals from drawing subjects, against what must come out."""

import numpy as np
import pytest

from benchmarks.accuracy.rates.error_rates import (
    ErrorRates,
    SubjectScores,
    bootstrap,
    error_rates,
)


def scores_of(
    people: int, shots: int, *, spread: float, seed: int = 1
) -> tuple[ErrorRates, SubjectScores, SubjectScores]:
    """Return made-up scores of so many people, who differ by a spread."""
    rng = np.random.default_rng(seed)
    subjects = np.repeat(np.arange(people, dtype=np.int32), shots)
    ease = rng.normal(0, spread, people)
    probes, references = np.triu_indices(people * shots, 1)
    pairs = np.stack([probes, references], axis=1).astype(np.int32)
    own = subjects[probes] == subjects[references]
    noise = rng.normal(0, 0.06, probes.size)
    scores = np.where(own, 0.75 + ease[subjects[probes]], 0.55) + noise
    kinds = [(scores[chosen].astype(np.float32), pairs[chosen]) for chosen in (own, ~own)]
    mated, nonmated = (SubjectScores(values, subjects, places) for values, places in kinds)
    return error_rates(mated.scores, nonmated.scores), mated, nonmated


def plain_rates(
    scored: SubjectScores, drawn: np.ndarray, thresholds: np.ndarray, *, is_mated: bool
) -> np.ndarray:
    """Return the share of comparisons at or above each threshold in one draw, the long way."""
    probes, references = scored.subjects[scored.pairs].T
    weights = drawn[probes] if is_mated else drawn[probes] * drawn[references]
    total = max(int(weights.sum()), 1)
    return np.array([weights[scored.scores >= one].sum() / total for one in thresholds])


@pytest.mark.parametrize(("people", "shots", "draws"), [(12, 3, 40), (2, 2, 40), (250, 6, 2)])
def test_every_draw_is_what_counting_comparison_by_comparison_gives(people, shots, draws):
    """Not one comparison may be lost."""
    rates, mated, nonmated = scores_of(people, shots, spread=0.05)
    rng = np.random.default_rng(7)
    weights = rng.multinomial(people, np.full(people, 1 / people), size=draws)
    drawn = bootstrap(rates, mated, nonmated, seed=7, draws=draws)

    chosen = np.s_[:: max(1, drawn.thresholds.size // 50)]
    for draw, weight in enumerate(weights):
        matched = plain_rates(nonmated, weight, drawn.thresholds[chosen], is_mated=False)
        kept = plain_rates(mated, weight, drawn.thresholds[chosen], is_mated=True)
        assert np.array_equal(drawn.fmr[draw, chosen], matched)
        assert drawn.fnmr[draw, chosen] == pytest.approx(1 - kept, abs=1e-12)

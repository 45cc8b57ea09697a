"""Rates, intervals and percentiles."""

import pytest

from benchmarks.measurement import rate


@pytest.mark.parametrize(
    ("count", "total", "low", "high"),
    [
        (0, 100, 0.0, 0.03622),
        (5, 100, 0.01643, 0.11284),
        (10, 20, 0.27196, 0.72804),
        (100, 100, 0.96378, 1.0),
    ],
)
def test_the_interval_is_the_one_in_the_tables(count, total, low, high):
    """The published Clopper-Pearson values keep the arithmetic honest."""
    measured = rate(count, total)

    assert measured.low == pytest.approx(low, abs=2e-5)
    assert measured.high == pytest.approx(high, abs=2e-5)

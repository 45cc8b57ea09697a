"""The cost of a threshold: the share of mates that score less."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.decision.calibration import MatedScores
from engine.errors import CalibrationFault

FIT = MatedScores("made up", 10, 1000, rates=(0.01, 0.1, 0.5), scores=(0.65, 0.70, 0.80))


@given(st.floats(-1, 2), st.floats(-1, 2))
def test_a_higher_threshold_never_costs_less(one: float, other: float) -> None:
    """Otherwise the table of ``thenar gallery calibrate`` would be nonsense."""
    low, high = sorted((one, other))

    assert 0 < FIT.fnmr_at(low) <= FIT.fnmr_at(high) <= 1


def test_lines_of_the_table_are_met() -> None:
    """Between them it is a straight line."""
    assert [FIT.fnmr_at(score) for score in FIT.scores] == pytest.approx(FIT.rates)
    assert FIT.fnmr_at(0.675) == pytest.approx(0.055)


def test_below_the_table_its_first_rate_is_the_upper_bound() -> None:
    """A set of a thousand pairs cannot promise that no mate is refused."""
    assert FIT.fnmr_at(0.1) == 0.01


def test_no_score_reaches_a_threshold_above_one() -> None:
    """Such a threshold means that the wanted rate is not to be had."""
    assert FIT.fnmr_at(1.0) == FIT.fnmr_at(1.5) == 1.0


@pytest.mark.parametrize(
    "change",
    [
        {"rates": (0.1, 0.01, 0.5)},
        {"rates": (0.0, 0.1, 0.5)},
        {"rates": (0.1, 0.5, 1.0)},
        {"rates": (0.1, 0.5)},
        {"rates": (0.5,), "scores": (0.5,)},
        {"scores": (0.7, 0.6, 0.8)},
        {"scores": (0.6, 0.7, 1.2)},
        {"scores": (0.6, float("nan"), 0.9)},
        {"palms": 0},
        {"comparisons": 0},
    ],
)
def test_numbers_that_are_no_distribution_are_refused(change: dict[str, object]) -> None:
    """A damaged file must not promise anything."""
    with pytest.raises(CalibrationFault):
        replace(FIT, **change)  # type: ignore[arg-type]

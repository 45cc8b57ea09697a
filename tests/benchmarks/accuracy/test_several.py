"""Several samples of one login, scored together."""

from __future__ import annotations

import pytest

from benchmarks.accuracy.rates.several_samples import logins_of, several_samples
from benchmarks.accuracy.scoring.compare_all import ComparisonContext, compare_all
from benchmarks.accuracy.scoring.methods import VECTOR
from tests.benchmarks.accuracy.test_compare_all import made_up


@pytest.fixture
def measured(tmp_path):
    """Six palms of eight pictures, three enrolled, two strangers; compared by vectors."""
    plan, features = made_up(shots=8)
    compared = compare_all(
        ComparisonContext(plan, features, (VECTOR,)),
        tmp_path,
        workers=1,
        advance=lambda _: None,
    )
    return plan, features, compared


def test_a_login_is_a_run_of_one_palm(measured):
    """No picture is in two logins; enrolled pictures make no login with others."""
    plan, _, _ = measured
    logins = list(logins_of(plan, 2))

    assert len(logins) == 18
    assert len({place for login in logins for place in login}) == 36
    for login in logins:
        assert len(set(plan.identities[login].tolist())) == 1
        assert len(set(plan.is_probe[login].tolist())) == 1


def test_best_and_mean_are_of_the_same_comparisons(measured):
    """The best of a login is never less than its mean, and more pictures help here."""
    plan, _, compared = measured
    lines = {
        (line["samples"], line["way"]): line for line in several_samples(compared, plan, VECTOR)
    }

    assert set(lines) == {
        (1, "single"), (2, "best"), (2, "mean"), (3, "best"), (3, "mean"),
    }  # fmt: skip
    assert lines[1, "single"]["comparisons"]["mated"] == compared.mated[VECTOR].size
    assert lines[2, "best"]["comparisons"] == lines[2, "mean"]["comparisons"]
    assert lines[2, "mean"]["eer"] <= lines[1, "single"]["eer"]

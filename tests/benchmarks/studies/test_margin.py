"""What a margin costs and prevents, counted on palms that are known."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from benchmarks.__main__ import app
from benchmarks.calibration.fit import LabelledTemplate
from benchmarks.studies.margin import Searches, measured, searches_of
from engine.types import Hand
from tests.support.palms.templates import template_of


def searches(*lines):
    """Searches from (own, first, second) each."""
    own, first, second = np.array(lines, np.float32).T
    return Searches(own, first, second, 10)


def test_what_a_margin_does_is_counted_apart_for_mates_and_strangers():
    """A mate just above a stranger is refused; a stranger among equals is stopped."""
    side = searches(
        (0.80, 0.65, 0.64),  # recognised, far from everybody
        (0.71, 0.705, 0.60),  # recognised, refused by the margin
        (0.60, 0.72, 0.60),  # taken for somebody else, beyond the margin
        (0.715, 0.72, 0.60),  # taken for somebody else, but the own palm is near
        (0.60, 0.72, 0.715),  # let in as a stranger, stopped
    )

    rate_numbers = measured([side], [0.7], 0.01, 1e-3)

    assert rate_numbers["mates"] == {"searches": 5, "recognised_but_refused": 1}
    assert rate_numbers["mates_taken_for_others"] == {"count": 3, "stopped": 2}
    assert rate_numbers["strangers"] == {"searches": 5, "let_in": 4, "stopped": 1}


def test_without_a_margin_nothing_is_refused_or_stopped():
    """That is what the others are compared with."""
    rate_numbers = measured([searches((0.71, 0.705, 0.704))], [0.7], 0.0, 1e-3)

    assert rate_numbers["mates"]["recognised_but_refused"] == 0
    assert rate_numbers["strangers"]["stopped"] == 0


def test_probes_are_not_enrolled_and_palms_are_told_apart():
    """A picture compared with itself would be the best mate of all."""
    templates = [
        LabelledTemplate(str(person), "", template_of(person, noise=0.05, sample=shot))
        for person in range(5)
        for shot in range(4)
    ]
    side = searches_of(templates, Hand.LEFT)

    assert (len(side.own), side.rows) == (5, 15)
    assert bool((side.own < 1).all() and (side.own > 0.9).all())
    assert bool((side.first >= side.second).all() and (side.first < 0.7).all())
    assert searches_of(templates, Hand.RIGHT).rows == 0


@pytest.mark.hands
def test_the_command_writes_counts_and_no_scores(regions, tmp_path):
    """The result is committed; what it says of single people must be nothing."""
    done = CliRunner().invoke(app, ["margin", str(regions), "--out", str(tmp_path / "out")])
    content = json.loads(next((tmp_path / "out").glob("margin-*.json")).read_text())

    assert done.exit_code == 0
    assert content["protocol"] == "margin-1"
    assert len(content["margins"]) == 4 * 9
    assert content["margins"][0]["mates"]["searches"] == 4


def test_a_folder_that_is_no_set_is_refused(tmp_path):
    """In a sentence."""
    done = CliRunner().invoke(app, ["margin", str(tmp_path), "--out", str(tmp_path)])

    assert done.exit_code == 1

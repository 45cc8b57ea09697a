"""Unlinkability is 0 where scores say nothing and 1 where they say all."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.calibration.fit import LabelledTemplate
from benchmarks.studies.protection import measured, pairs_of, unlinkability
from tests.support.palms.templates import template_of


def test_scores_that_say_all_and_scores_that_say_nothing():
    """The two ends of the measure."""
    noise = np.random.default_rng(1).standard_normal((2, 20_000))

    assert unlinkability(noise[0] + 100, noise[1]) == pytest.approx(1)
    assert unlinkability(noise[0], noise[1]) < 0.02
    assert unlinkability(noise[0], noise[0]) == 0


def test_more_separation_is_more_linkable():
    """Between the ends it rises."""
    noise = np.random.default_rng(1).standard_normal((2, 20_000))
    values = [unlinkability(noise[0] + shift, noise[1]) for shift in (0, 1, 2, 4)]

    assert values == sorted(values)


@pytest.fixture
def templates():
    """Thirty palms, six pictures each."""
    return [
        LabelledTemplate(str(palm), "", template_of(palm, noise=0.1, sample=shot))
        for palm in range(30)
        for shot in range(6)
    ]


def test_pairs_are_of_one_palm_and_of_two(templates):
    """A mated pair among the others would hide what is measured."""
    mated, others = pairs_of(templates, 1)

    assert len(mated) == len(others) == 30 * 15
    assert all(templates[a].identity == templates[b].identity for a, b in mated)
    assert all(templates[a].identity != templates[b].identity for a, b in others)


def test_turning_unlinks_vectors_and_encryption_codes(templates):
    """Both are linked without."""
    numbers = measured(templates, 1)
    linked = numbers["d_sys"]

    assert numbers["largest_change_of_a_cosine"] < 1e-5
    assert linked["vector_not_turned"] > 0.9
    assert linked["code_in_clear"] > 0.9
    assert linked["vector_under_two_keys"] < 0.35
    assert linked["code_encrypted_under_two_keys"] < 0.25

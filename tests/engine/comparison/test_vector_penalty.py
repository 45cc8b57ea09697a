"""Vectors may lower the scores of codes, never raise them."""

import math
import tomllib
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from engine.comparison.compare import (
    CALIBRATIONS,
    NO_PENALTY,
    VectorPenalty,
    compare,
    compare_codes,
    compare_many,
    fused_scores,
    load_vector_penalty,
    parse_vector_penalty,
)
from engine.decision.calibration import load_calibration
from engine.decision.decide import decide_verification
from engine.errors import CalibrationFault, TemplateRefused
from engine.parameters import CODE_FINE_LEAD
from engine.types import ExtractorId, NonMatch, Reference
from tests.support.palms.templates import FAKE_EXTRACTOR, group_id, reference_id
from tests.support.palms.vector_templates import EXTRACTOR, penalised_template

PENALTY = VectorPenalty(0.1, (0.6, 0.5, 0.4, 0.2, 0.1))
COSINES = npst.arrays(np.float32, 5, elements=st.floats(-1, 1, width=32))
SHIFTS = np.arange(5)


def test_what_is_lacking_is_taken_by_its_weight():
    """At each shift by what mates have there."""
    cosines = np.array([0.1, 0.5, 0.9, -0.3, 0.0], np.float32)
    taken = PENALTY.penalties(cosines, SHIFTS)

    assert taken.dtype == np.float32
    assert taken == pytest.approx([0.05, 0.0, 0.0, 0.05, 0.01])


@given(COSINES)
def test_an_abundance_lifts_no_score(cosines):
    """Look-alikes have it as much as mates."""
    taken = PENALTY.penalties(cosines, SHIFTS)

    assert (taken >= 0).all()
    assert (taken[cosines >= PENALTY.expected_cosines] == 0).all()
    assert not NO_PENALTY.penalties(cosines, SHIFTS).any()


@pytest.mark.parametrize("extractor", [ExtractorId("palmnet-2"), EXTRACTOR])
def test_every_shipped_extractor_says_how_far_its_vectors_doubt(extractor):
    """In the file of its calibration, whose thresholds are of just these scores."""
    document = tomllib.loads((CALIBRATIONS / f"{extractor}.toml").read_text("utf-8"))
    penalty = load_vector_penalty(extractor)

    assert (
        penalty == parse_vector_penalty(document) == load_calibration(extractor).vector_penalty
    )
    assert penalty is not NO_PENALTY
    assert load_vector_penalty(FAKE_EXTRACTOR) is NO_PENALTY


@pytest.mark.parametrize(
    "change",
    [
        {"weight": -0.1},
        {"weight": 1.5},
        {"weight": math.nan},
        {"weight": "much"},
        {"weight": None},
        {"expected_cosines": [0.5] * 4},
        {"expected_cosines": [0.5] * 4 + [math.nan]},
        {"expected_cosines": [0.5] * 4 + [2.0]},
        {"expected_cosines": 0.5},
    ],
)
def test_a_doubt_that_is_none_is_refused(change):
    """A negative weight would lift non-mated scores."""
    sound = {"weight": 0.1, "expected_cosines": [0.5] * 5}
    assert parse_vector_penalty({"doubt": sound}) == VectorPenalty(0.1, (0.5,) * 5)

    with pytest.raises(CalibrationFault):
        parse_vector_penalty({"doubt": sound | change})
    with pytest.raises(CalibrationFault):
        parse_vector_penalty({})


LIKENESS = st.floats(-1, 1)
NOISE = st.floats(0, 1)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 3), st.integers(0, 3), NOISE, LIKENESS)
def test_a_comparison_is_symmetric_and_never_above_the_codes(first, second, noise, likeness):
    """To the last bit: who was enrolled and who comes must not matter."""
    one = penalised_template(first)
    other = penalised_template(second, noise=noise, sample=1, likeness=likeness)
    (codes,) = np.float32(1) - compare_codes(one.code, other.code[None])

    assert compare(one, other) == compare(other, one)
    assert 0 <= compare(one, other) <= codes


def test_a_vector_of_no_numbers_never_matches():
    """It has no cosine, and a score that is not a number reaches no threshold."""
    template = penalised_template(1)
    broken = replace(template, vector=np.full_like(template.vector, np.nan))
    scores = compare_many(broken, [template])
    reference = Reference(reference_id(1), group_id(1), template)

    assert np.isnan(scores).all()
    assert decide_verification([broken], [reference], 0.0) == NonMatch()
    nothing = fused_scores(template.code, template.code[None], np.array([np.nan]), NO_PENALTY)
    assert np.isnan(nothing).all()


def test_a_vector_of_another_size_is_refused():
    """Numpy would stretch a short one over the others."""
    template = penalised_template(1)

    with pytest.raises(TemplateRefused):
        compare(template, replace(template, vector=np.ones(1, np.float32)))


def test_a_fine_code_leads_by_little_and_by_less_where_cells_are_hidden():
    """Two people under the same bars of shadow share fine edges, and little else."""
    one, other = penalised_template(0), penalised_template(1)
    coarse = compare_codes(one.code[:512], other.code[None, :512])
    alike = np.concatenate([other.code[:512], one.code[512:]])
    hidden = np.packbits(np.arange(1024) % 32 < 16, bitorder="little")
    halves = ((code.reshape(2, 4, 128) & hidden).reshape(-1) for code in (one.code, alike))
    half, half_alike = halves
    lead, lost, shown = CODE_FINE_LEAD

    assert compare_codes(one.code, alike[None]) == pytest.approx(coarse - lead / 2, abs=1e-6)
    seen = compare_codes(half[:512], half_alike[None, :512])
    bound = (lead - lost * (shown - 0.5)) / 2
    assert compare_codes(half, half_alike[None]) == pytest.approx(seen - bound, abs=1e-6)

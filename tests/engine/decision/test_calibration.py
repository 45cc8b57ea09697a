"""Thresholds come from rates, and the way back leads to the same rate."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.comparison.compare import VectorPenalty
from engine.decision.calibration import (
    Calibration,
    NonMatedScores,
    load_calibration,
    parse_calibration,
    threshold_for_fpir,
)
from engine.errors import CalibrationFault
from engine.parameters import CALIBRATION_SAFETY
from engine.types import ExtractorId
from tests.support.palms.vector_templates import EXTRACTOR as SERVING

FIT = NonMatedScores(
    data="made up",
    palms=100,
    pictures=300,
    comparisons=30_000,
    rates=(1.0, 0.5, 0.1, 0.01),
    scores=(0.0, 0.60, 0.62, 0.64),
    scale=0.005,
    shape=0.0,
)
HEAVY = replace(FIT, data="heavy", shape=0.2, comparisons=10_000_000)
EXTRACTOR = ExtractorId("a-1")
PENALTY = VectorPenalty(0.1, (0.5, 0.4, 0.3, 0.2, 0.1))
PENALTY_TEXT = "[doubt]\nweight = 0.1\nexpected_cosines = [0.5, 0.4, 0.3, 0.2, 0.1]"

RATES = st.floats(1e-12, 1.0)


def text_of(extractor: str = "a-1", **changes: object) -> str:
    """A calibration file with one fit."""
    values: dict[str, object] = {
        "data": '"made up"',
        "palms": 100,
        "pictures": 300,
        "comparisons": 30_000,
        "rates": "[1, 0.5, 0.1, 0.01]",
        "scores": "[0, 0.60, 0.62, 0.64]",
        "scale": 0.005,
        "shape": 0.0,
    }
    values |= changes
    lines = [f"{key} = {value}" for key, value in values.items() if value is not None]
    return "\n".join([f'extractor = "{extractor}"', PENALTY_TEXT, "[[fit]]", *lines])


@given(RATES, st.sampled_from([FIT, HEAVY]))
def test_the_threshold_of_a_rate_has_that_rate(fmr, fit):
    """In the table, in the tail and where they meet."""
    calibration = Calibration(EXTRACTOR, (fit,))

    assert calibration.fmr_at(calibration.threshold_for_fmr(fmr)) == pytest.approx(fmr)


@given(st.floats(-1, 2), st.floats(-1, 2))
def test_a_higher_score_is_never_more_common(first, second):
    """FMR falls with the threshold, across both sets."""
    calibration = Calibration(EXTRACTOR, (FIT, HEAVY))
    low, high = sorted((first, second))

    assert 0 <= calibration.fmr_at(high) <= calibration.fmr_at(low) <= 1


@given(RATES)
def test_the_worst_set_decides(fmr):
    """A rate that is promised holds on each set."""
    both = Calibration(EXTRACTOR, (FIT, HEAVY)).threshold_for_fmr(fmr)

    own = fmr / CALIBRATION_SAFETY
    assert both == max(FIT.threshold_for_fmr(own), HEAVY.threshold_for_fmr(own))
    assert both == Calibration(EXTRACTOR, (HEAVY, FIT)).threshold_for_fmr(fmr)


@given(st.floats(1e-6, 0.5), st.integers(1, 10**7))
def test_many_comparisons_together_keep_the_target(fpir, comparisons):
    """FPIR(N) = 1 - (1 - FMR)^N: the arithmetic of ISO/IEC 19795-1, both ways."""
    calibration = Calibration(EXTRACTOR, (FIT,))
    threshold = threshold_for_fpir(calibration, fpir, comparisons)
    fmr = calibration.fmr_at(threshold)

    assert -math.expm1(comparisons * math.log1p(-fmr)) == pytest.approx(fpir, rel=1e-6)


def test_a_rate_that_too_few_comparisons_show_is_marked():
    """Rule of 30: 30,000 comparisons show one in a thousand, and nothing rarer."""
    calibration = Calibration(EXTRACTOR, (FIT,))

    assert not calibration.is_extrapolated(1.01e-3 * CALIBRATION_SAFETY)
    assert calibration.is_extrapolated(0.99e-3 * CALIBRATION_SAFETY)


@pytest.mark.parametrize("fmr", [0.0, -1e-3, 1.1, math.nan, math.inf])
def test_what_is_no_rate_has_no_threshold(fmr):
    """A mistyped setting must stop the service, not open it."""
    calibration = Calibration(EXTRACTOR, (FIT,))

    with pytest.raises(CalibrationFault):
        calibration.threshold_for_fmr(fmr)
    with pytest.raises(CalibrationFault):
        calibration.is_extrapolated(fmr)


@pytest.mark.parametrize(
    ("fpir", "comparisons"), [(0.0, 1), (1.0, 1), (-0.1, 1), (math.nan, 1), (0.1, 0), (0.1, -5)]
)
def test_what_is_no_search_has_no_threshold(fpir, comparisons):
    """An empty gallery is answered without a threshold."""
    with pytest.raises(CalibrationFault):
        threshold_for_fpir(Calibration(EXTRACTOR, (FIT,)), fpir, comparisons)


def test_a_score_that_is_no_number_has_no_rate():
    """Nothing may be concluded from it."""
    with pytest.raises(CalibrationFault):
        Calibration(EXTRACTOR, (FIT,)).fmr_at(math.nan)


def test_a_calibration_file_is_read():
    """The service uses the file that the tool writes."""
    read = parse_calibration(text_of(), EXTRACTOR)

    assert read == Calibration(EXTRACTOR, (FIT,), vector_penalty=PENALTY)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no toml",
        'extractor = "a-1"\nfit = []',
        text_of("b-1"),
        text_of(palms=0),
        text_of(comparisons='"many"'),
        text_of(rates=None),
        text_of(rates="[1, 0.1, 0.5, 0.01]"),
        text_of(rates="[1, 0.5, 0.1, 0]"),
        text_of(scores="[0, 0.62, 0.60, 0.64]"),
        text_of(scores="[0, 0.60, 0.62, nan]"),
        text_of(rates="[1]", scores="[0]"),
        text_of().replace(PENALTY_TEXT, ""),
        f'extractor = "{EXTRACTOR}"\nfit = []\n{PENALTY_TEXT}',
        text_of().replace("weight = 0.1", "weight = -0.1"),
        text_of(scale=0),
        text_of(shape=-0.1),
        text_of(shape=1),
    ],
)
def test_a_damaged_file_is_refused(text):
    """A threshold from nonsense would let in every palm or none."""
    with pytest.raises(CalibrationFault):
        parse_calibration(text, EXTRACTOR)


def test_an_extractor_without_calibration_is_refused(tmp_path):
    """A new extractor has no thresholds until they are measured."""
    with pytest.raises(CalibrationFault):
        load_calibration(SERVING, folder=tmp_path)


@pytest.mark.parametrize("extractor", [SERVING, ExtractorId("palmnet-2")])
def test_the_shipped_extractors_are_calibrated(extractor):
    """Their thresholds lie where non-mated scores end and the same palm begins."""
    calibration = load_calibration(extractor)

    assert 0.62 < calibration.threshold_for_fmr(1e-4) < 0.68
    assert 0.62 < threshold_for_fpir(calibration, 1e-3, 100_000) < 0.75
    assert calibration.is_extrapolated(1e-8)


def test_an_own_calibration_decides_instead_of_the_shipped_one(tmp_path):
    """If it was fitted to the scores that are compared, and to enough of them."""
    own = tmp_path / "own.toml"
    (tmp_path / "a-1.toml").write_text(text_of())
    own.write_text(text_of(scale=0.001))

    assert load_calibration(EXTRACTOR, own=own, folder=tmp_path).non_mated[0].scale == 0.001
    for text, reason in [
        (text_of().replace("weight = 0.1", "weight = 0.2"), "another penalty"),
        (text_of(comparisons=2_999), "too few"),
        (text_of("b-1"), "another extractor"),
        ("\udcff", "cannot be read"),
    ]:
        own.write_text(text, errors="surrogateescape")
        with pytest.raises(CalibrationFault, match=reason):
            load_calibration(EXTRACTOR, own=own, folder=tmp_path)


def test_mated_scores_are_read_and_the_worst_set_counts():
    """Mated scores say what a threshold costs; an old file without them is still good."""
    head = "\n[[mated]]\ndata = 'x'\npalms = 5\ncomparisons = 100\n"
    mated = head + "rates = [0.05, {0}]\nscores = [0.6, 0.9]"
    text = text_of() + mated.format(0.5) + mated.format(0.7)
    calibration = parse_calibration(text, EXTRACTOR)

    assert len(calibration.mated) == 2
    assert calibration.fnmr_at(0.9) == pytest.approx(0.7)
    assert parse_calibration(text_of(), EXTRACTOR).fnmr_at(0.9) is None


def test_the_margin_follows_the_tail_of_the_worst_set():
    """A score 1,000 times as rare is that much further out, whatever the scores' scale."""
    steep = replace(FIT, scale=0.001)
    calibration = Calibration(EXTRACTOR, (FIT, steep))
    heavy = replace(FIT, shape=0.1)

    assert calibration.margin == pytest.approx(
        FIT.threshold_for_fmr(1e-6 / 1000) - FIT.threshold_for_fmr(1e-6)
    )
    own = Calibration(EXTRACTOR, (heavy,))
    beyond = own.threshold_for_fmr(1e-4) + own.margin
    assert own.fmr_at(beyond) == pytest.approx(1e-7)

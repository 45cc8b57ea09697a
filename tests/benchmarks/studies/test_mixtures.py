"""Forged enrolments are what they say, and the service's own rules judge them."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.studies.mixtures.attack import Rules, enrol
from benchmarks.studies.mixtures.command import (
    PICTURES,
    TEMPLATES,
    Forger,
    Shot,
    bona_fide,
    counted,
)
from benchmarks.studies.mixtures.mixing import (
    LAYOUTS,
    mix_regions,
    mix_templates,
    template_of_region,
)
from benchmarks.studies.mixtures.population import Population
from benchmarks.studies.mixtures.resemblance import (
    RESEMBLES_SEVERAL,
    Trial,
    Tried,
    curve,
    tally,
)
from engine.comparison.compare import compare
from engine.errors import QualityTooLow
from engine.features.code_bytes import directions_of
from engine.features.reference_extractor import ReferenceExtractor
from engine.types import Extraction, Hand, PalmRoi, Quality, QualityReason
from mobile_api.recognition.matcher import PalmMatcher
from mobile_api.recognition.thresholds import CalibratedThresholds
from tests.support.palms.calibration import FAKE_CALIBRATION
from tests.support.palms.fake_engine import all_plausible
from tests.support.palms.templates import FAKE_DIMENSION, FAKE_EXTRACTOR, template_of

PEOPLE, SHOTS = 6, 6
RULES = Rules(
    PalmMatcher(CalibratedThresholds(FAKE_CALIBRATION, target_fmr=1e-4, target_fpir=1e-3)),
    all_plausible,
)
CORNERS = np.zeros((4, 2), np.float32)
QUALITY = Quality(80, None, 1.0, 128.0, 0.0, 0.02, 1.0, 128.0)


def chance():
    """The same every time."""
    return np.random.default_rng(1234)


def shots(person, *, noise=0.2):
    """Pictures of a palm of nobody."""
    pixels = np.random.default_rng(person).uniform(0, 255, (128, 128)).astype(np.float32)
    roi = PalmRoi(pixels, Hand.LEFT, CORNERS, 0.02, 128.0, 1.0)
    templates = [template_of(person, noise=noise, sample=sample) for sample in range(SHOTS)]
    return [Shot("1", Extraction(template, roi, QUALITY)) for template in templates]


PALMS = {(str(person), Hand.LEFT): shots(person) for person in range(PEOPLE)}


class RefusingExtractor(ReferenceExtractor):
    """Takes no composed picture."""

    def extract(self, sample, landmarks):
        """Refuse."""
        raise QualityTooLow(QualityReason.TOO_BLURRED)


class FakeExtractor(RefusingExtractor):
    """Is the extractor of templates of nobody."""

    extractor_id, dimension = FAKE_EXTRACTOR, FAKE_DIMENSION


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("people", [2, 5])
def test_every_layout_gives_everybody_a_part(layout, people):
    """Otherwise fewer people were mixed than the result says."""
    owners = LAYOUTS[layout](people, chance())

    assert owners.shape == (32, 32)
    assert set(np.unique(owners)) == set(range(people))


def test_a_mixed_code_holds_each_cell_of_its_owner():
    """And a vector like all of theirs."""
    parts = [template_of(person) for person in range(2)]
    owners = LAYOUTS["halves"](2, chance())
    made = mix_templates(parts, owners)

    for person, part in enumerate(parts):
        assert (directions_of(made.code) == directions_of(part.code))[owners == person].all()
        assert made.vector @ part.vector > 0.5


def test_a_composed_picture_shows_each_region_in_its_part():
    """A soft edge between them, and nothing of the others."""
    rng = chance()
    regions = [rng.uniform(0, 255, (128, 128)).astype(np.float32) for _ in range(2)]
    owners = np.repeat(np.arange(2), 16)[None].repeat(32, axis=0)
    made = mix_regions(regions, owners).astype(float)
    alone = mix_regions([regions[0]], np.zeros((32, 32), np.int64)).astype(float)

    assert np.abs(made - alone)[:, :40].max() <= 1
    assert np.abs(made - alone)[:, 88:].mean() > 20


@pytest.mark.parametrize("hand", Hand)
def test_a_composed_picture_keeps_its_hand(hand):
    """A region of a right hand is mirrored once, not twice."""
    extractor = ReferenceExtractor()
    region = chance().uniform(40, 215, (128, 128)).astype(np.uint8)
    roi = PalmRoi(region.astype(np.float32), hand, CORNERS, 0.02, 128.0, 1.0)
    made = template_of_region(region, hand, extractor)

    assert compare(made, extractor.template_of(roi)) > 0.8


def test_an_enrolment_that_passes_is_tried_with_every_palm():
    """Its owner is identified, a stranger is not; a refusal has its code."""
    samples = [template_of(1, noise=0.2, sample=sample) for sample in range(3)]
    probes = [[template_of(person, noise=0.2, sample=9)] for person in (1, 2)]

    passed = enrol(samples, probes, RULES)

    assert (passed.refused, passed.by_score, passed.identified) == ("", 1, 1)
    assert enrol([samples[0]] * 3, probes, RULES).refused == "samples_repeat"
    assert enrol([*samples, *probes[1]], probes, RULES).refused == "samples_disagree"


def test_every_try_is_counted_once():
    """By its outcome; those that let two people in are told apart by score and by name."""
    forger = Forger(PALMS, RefusingExtractor(), RULES, chance())
    attempts = [each for way in (TEMPLATES, PICTURES) for each in forger.attempts(way, 8)]
    templates, pictures = (counted(attempts, way) for way in (TEMPLATES, PICTURES))

    assert templates["tries"] == sum(templates["outcomes"].values()) == 8
    assert pictures["outcomes"] == {"quality_too_low": 8}
    assert templates["two_identified"]["count"] <= templates["two_above_threshold"]


def test_real_people_enrol_and_sign_in():
    """What the rules cost is counted beside what they prevent."""
    numbers = bona_fide(PALMS, RULES)

    assert numbers["outcomes"] == {"enrolled": 2 * PEOPLE}
    assert numbers["sign_ins"] == numbers["above_threshold"] == 6 * PEOPLE
    assert numbers["refused_as_not_spread"]["count"] == 0


def test_a_mixture_of_enrolled_people_is_refused_beside_them():
    """The verdict is the service's; who leaves is resembled no more."""
    population = Population(template_of(0).extractor, template_of(0).vector.size)
    population.enrol({person: [template_of(person)] for person in range(PEOPLE)})
    parts = [[template_of(person, sample=n) for person in range(2)] for n in (1, 2)]
    samples = [mix_templates(each, LAYOUTS["halves"](2, chance())) for each in parts]
    lone = [template_of(0, sample=n) for n in (1, 2)]

    assert population.verdict(lone, RULES.matcher) == "already_enrolled"
    assert population.similar(samples, FAKE_CALIBRATION, [0.1]) == [2]
    population.enrol({0: [], 1: []})
    assert population.rows == {"left": PEOPLE - 2, "right": 0}
    assert population.verdict(lone, RULES.matcher) == ""
    assert population.similar(samples, FAKE_CALIBRATION, [0.1]) == [0]


def test_a_curve_counts_who_passes_all_other_rules():
    """Whoever is enrolled already is refused without it."""
    real = [Tried("set", "", (0,) * 5), Tried("set", "already_enrolled", (1,) * 5)]
    forged = [
        Tried("set", RESEMBLES_SEVERAL, (0, 0, 2, 3, 3)),
        Tried("set", "samples_disagree"),
    ]
    lines = {(line["rate"], line["accounts"]): line for line in curve(real, forged)}

    assert lines[0.1, 2]["forged"]["count"] == lines[0.3, 3]["forged"]["count"] == 1
    assert lines[0.1, 3]["forged"]["count"] == lines[0.03, 2]["forged"]["count"] == 0
    assert {(line["real"]["count"], line["real"]["total"]) for line in lines.values()} == {
        (0, 1)
    }
    assert tally(forged) == {"set": {RESEMBLES_SEVERAL: 1, "samples_disagree": 1}}


def test_everybody_is_enrolled_again_after_each_try():
    """A palm that enrols is not enrolled; one of a mixture is, by other pictures."""
    trial = Trial(FakeExtractor(), FAKE_CALIBRATION, RULES, {"set": PALMS})
    real = list(trial.real())
    forged = list(trial.forged(8, chance()))

    assert tally(real) == {"set": {"enrolled": 2 * PEOPLE}}
    assert trial.population.rows == {"left": 3 * PEOPLE, "right": 0}
    assert tally(forged)["set"]["quality_too_low"] == 8
    assert sum(tally(forged)["set"].values()) == 16

"""A forged template gets nearer to palms it has not seen; the margin takes that away."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from benchmarks.__main__ import app
from benchmarks.calibration.fit import LabelledTemplate
from benchmarks.studies.wolf import Attack, attack_side, count_matches, forge
from engine.comparison.compare import compare_many
from engine.features.code_bytes import require_directions
from engine.template_codec import require_valid
from engine.types import Hand
from tests.support.palms.templates import template_of

PALMS = [
    LabelledTemplate(str(person), "", template_of(person, noise=0.05, sample=shot))
    for person in range(8)
    for shot in range(3)
]


def chance():
    """The same every time."""
    return np.random.default_rng(1234)


def test_climbing_brings_a_template_near_to_all_that_the_forger_has():
    """Otherwise the benchmark would call anything safe."""
    known = [each.template for each in PALMS[::3]]
    start = compare_many(forge(known, 0.9, 1, chance()), known)
    forged = forge(known, 0.9, 150, chance())
    reached = compare_many(forged, known)

    assert reached.mean() > start.mean() + 0.005
    require_directions(forged.code)
    assert require_valid(forged) is forged


def test_the_forged_vector_is_like_all_of_theirs():
    """A vector of nobody would be doubted, and the forger would look weaker than he is."""
    known = [each.template for each in PALMS[::3]]
    vectors = np.stack([each.vector for each in known])
    forged = forge(known, 0.9, 1, chance())

    best = (vectors @ forged.vector).mean()
    assert all(best > (vectors @ vector).mean() for vector in vectors)


def test_the_forger_never_sees_the_palms_that_he_tries():
    """A palm is on one side of the wall only; three pictures of it are enrolled."""
    attack = attack_side(PALMS, Hand.LEFT, 0.9, 5, chance())

    assert attack is not None
    assert (len(attack.known), len(attack.claimed)) == (12, 4)
    assert attack_side(PALMS, Hand.RIGHT, 0.9, 5, chance()) is None


def test_the_margin_is_counted_against_everybody_else_in_the_gallery():
    """Alone in the gallery a palm is not protected; among those that are as near it is."""
    nothing = np.zeros(1, np.float32)
    near = Attack(nothing, np.array([0.70, 0.695, 0.69], np.float32), 0.6)
    alone, among = (count_matches([near], others, 0.02, chance()) for others in (0, 2))

    assert alone["passed_with_margin"] == alone["passed_by_score"] == alone["verifications"]
    assert among["passed_by_score"] == among["verifications"] > 0
    assert among["passed_with_margin"] == 0
    assert among["palms_passed_for"] == 3


def test_a_gallery_larger_than_the_set_is_not_tried():
    """Palms would have to be counted twice."""
    few = Attack(np.zeros(1, np.float32), np.zeros(3, np.float32), 0.6)

    assert count_matches([few], 3, 0.02, chance())["verifications"] == 0


@pytest.mark.hands
def test_the_command_writes_counts_and_no_code(regions, tmp_path):
    """A working forgery must not be published."""
    folder = tmp_path / "out"
    done = CliRunner().invoke(app, ["wolf", str(regions), "--out", str(folder), "--steps", "3"])
    content = json.loads(next(folder.glob("wolf-*.json")).read_text())

    assert done.exit_code == 0
    assert content["protocol"] == "wolf-2"
    assert content["attack"][0]["palms"] == 2
    assert not any(isinstance(value, list) for line in content["attack"] for value in line)


def test_a_folder_that_is_no_set_is_refused(tmp_path):
    """In a sentence."""
    done = CliRunner().invoke(app, ["wolf", str(tmp_path), "--out", str(tmp_path)])

    assert done.exit_code == 1

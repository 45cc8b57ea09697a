"""The network may doubt the code, and how far is told by drawn palms alone."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from benchmarks.__main__ import app
from benchmarks.accuracy.fused import EXPECTED_COSINES, FUSION_WEIGHT, fused_scores, missing
from benchmarks.accuracy.methods import CODE, FUSED, Features
from benchmarks.datasets.drawn import read_drawn
from benchmarks.datasets.manifest import DatasetFault
from benchmarks.fusion import (
    WEIGHTS,
    Pairs,
    chosen_weight,
    compare_drawn,
    expected_cosines,
    misses,
)
from tests.fakes.templates import template_of

RESULT = Path(__file__).parents[2] / "benchmarks" / "results" / "fusion.json"


def write_drawn(folder: Path, palms: int = 24, views: int = 2) -> Path:
    """A folder as ``thenar models templates`` leaves it, of palms with noise."""
    folder.mkdir()
    (folder / "templates.json").write_text(json.dumps({"seed": 1, "views": views}))
    every = [
        template_of(palm, noise=0.3, sample=view + 1)
        for palm in range(palms)
        for view in range(views)
    ]
    vectors = np.stack([one.vector for one in every]).astype(np.float16)
    codes = np.stack([one.code for one in every])
    half = len(every) // 2
    for name, part in (("part-0.npz", slice(half)), ("part-1.npz", slice(half, None))):
        np.savez(folder / name, network=vectors[part], energy=vectors[part], code=codes[part])
    return folder


def test_only_a_lack_of_likeness_counts():
    """Vectors as alike as mates', or more, leave the code's score as it is."""
    palms = [template_of(0), template_of(0, noise=0.2, sample=1), template_of(1)]
    codes = np.stack([one.code for one in palms])
    vectors = np.array([[1, 0], [1, 0], [0, 1]], np.float32)
    features = Features(codes, {FUSED: vectors})
    code, fused = (features.scores(name, 0, 1, 3) for name in (CODE, FUSED))

    assert fused[0] == code[0]
    lacking = code[1] - fused[1]
    possible = [FUSION_WEIGHT * cosine for cosine in EXPECTED_COSINES]
    assert min(abs(lacking - each) for each in possible) < 1e-6


def test_palms_that_lie_far_apart_may_be_less_alike():
    """The network bears small shifts only: what it says of large ones hardly counts."""
    cosines = np.full(5, 0.3, np.float32)
    lacks = missing(cosines, np.arange(5))

    assert lacks[0] == pytest.approx(EXPECTED_COSINES[0] - 0.3)
    assert np.all(np.diff(lacks) <= 0)
    assert lacks[4] == 0


def test_a_fused_score_is_symmetric():
    """Who is probe and who is reference must not matter."""
    one, other = template_of(3), template_of(3, noise=0.4, sample=1)
    cosine = np.array([one.vector @ other.vector - 0.6], np.float32)

    forth = fused_scores(one.code, other.code[None], cosine)
    assert forth == fused_scores(other.code, one.code[None], cosine)


def test_drawn_templates_are_read_palm_by_palm(tmp_path):
    """Parts follow each other, views of one palm lie side by side."""
    drawn = read_drawn(write_drawn(tmp_path / "drawn"))

    assert drawn.codes.shape == (24, 2, 512)
    assert drawn.network.dtype == np.float16
    expected = template_of(17, noise=0.3, sample=2)
    np.testing.assert_array_equal(drawn.codes[17, 1], expected.code)
    with pytest.raises(DatasetFault, match="no drawn templates"):
        read_drawn(tmp_path)


def test_every_first_view_meets_its_own_and_its_neighbours(tmp_path):
    """Mates are pairs of one palm; the pairs of others are of two."""
    pairs = compare_drawn(read_drawn(write_drawn(tmp_path / "drawn")))

    assert pairs.mated.sum() == 24
    assert (~pairs.mated).sum() == 24 * 23
    assert pairs.codes[pairs.mated].min() > pairs.codes[~pairs.mated].max()
    assert np.median(pairs.cosines[pairs.mated]) > 0.7


def made_up_pairs() -> Pairs:
    """Mates whose likeness falls with their shift, and strangers who are unlike."""
    rng = np.random.default_rng(4)
    count = 4000
    mated = np.arange(2 * count) < count
    shifts = np.arange(2 * count) % 3
    codes = np.where(mated, 0.70, 0.60) + 0.025 * rng.standard_normal(2 * count)
    middle = np.where(mated, 0.8 - 0.2 * shifts, 0.1)
    cosines = middle + 0.05 * rng.standard_normal(2 * count)
    return Pairs(codes.astype(np.float32), cosines.astype(np.float32), shifts, mated)


def test_what_to_expect_is_fitted_for_each_shift():
    """Where there are no mates, what was expected before holds on."""
    expected = expected_cosines(made_up_pairs())

    assert expected[:3] == pytest.approx((0.736, 0.536, 0.336), abs=0.02)
    assert expected[3:] == (expected[2], expected[2])


def test_doubt_helps_where_vectors_tell_more_than_codes():
    """Strangers are unlike, so weighing it in misses fewer mates."""
    pairs = made_up_pairs()
    expected = expected_cosines(pairs)

    alone, fused = (misses(pairs, expected, weight) for weight in (0.0, 0.1))
    assert all(with_doubt < without for with_doubt, without in zip(fused, alone, strict=True))


def test_the_largest_weight_that_costs_nothing_is_chosen():
    """At one rate as at the other; where doubt never helps, there is none."""
    fewest_early = [(100, 100) if w == 0.02 else (150, 101) for w in WEIGHTS]
    flat_until_five = [(100, 90) if w <= 0.05 else (100, 95) for w in WEIGHTS]
    harmful = [(100 + round(1000 * w), 100 + round(1000 * w)) for w in WEIGHTS]

    assert chosen_weight(fewest_early) == 0.02
    assert chosen_weight(flat_until_five) == 0.05
    assert chosen_weight(harmful) == 0.0


def test_the_command_writes_what_it_fitted(tmp_path):
    """Numbers of palms that nobody owns, and how they were drawn."""
    folder = write_drawn(tmp_path / "drawn")
    done = CliRunner().invoke(app, ["fusion", str(folder), "--out", str(tmp_path)])

    assert done.exit_code == 0, done.output
    written = json.loads((tmp_path / "fusion.json").read_text())
    assert written["comparisons"] == {"mated": 24, "nonmated": 24 * 23}
    assert written["drawn"] == [{"seed": 1, "views": 2, "palms": 24}]
    refused = CliRunner().invoke(app, ["fusion", str(tmp_path), "--out", str(tmp_path)])
    assert refused.exit_code == 1


def test_the_numbers_in_use_are_those_that_were_fitted():
    """Nobody may turn them by hand until the real sets look better."""
    fitted = json.loads(RESULT.read_text())

    assert list(EXPECTED_COSINES) == fitted["expected_cosines"]
    assert fitted["weight"] == FUSION_WEIGHT

"""How far vectors may doubt codes is told by drawn palms alone."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from benchmarks.__main__ import app
from benchmarks.calibration.fusion import (
    WEIGHTS,
    Pairs,
    choose_weight,
    compare_drawn,
    expected_cosines,
    misses,
)
from benchmarks.datasets.drawn import read_drawn
from benchmarks.datasets.manifest import DatasetFault
from engine.comparison.vector_penalty import load_vector_penalty, parse_vector_penalty
from engine.decision.calibration import load_calibration
from engine.errors import CalibrationFault
from engine.features.reference_extractor import CLASSICAL_EXTRACTOR
from engine.networks.manifest import read_manifest
from engine.settings import PALM_GRAPH, EngineSettings
from tests.support.palms.templates import FAKE_DIMENSION, template_of
from tests.support.palms.vector_templates import EXTRACTOR

GRAPH = read_manifest(EngineSettings().manifest)[PALM_GRAPH].sha256

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"


def write_drawn(folder: Path, palms: int = 24, views: int = 2) -> Path:
    """A folder as ``thenar models templates`` leaves it, of palms with noise."""
    folder.mkdir()
    (folder / "templates.json").write_text(
        json.dumps({"graph": GRAPH, "seed": 1, "views": views})
    )
    every = [
        template_of(palm, noise=0.3, sample=view + 1)
        for palm in range(palms)
        for view in range(views)
    ]
    rng = np.random.default_rng(3)
    spread, _ = np.linalg.qr(rng.standard_normal((384, FAKE_DIMENSION)))
    vectors = np.stack([spread @ one.vector for one in every]).astype(np.float16)
    codes = np.stack([one.code for one in every])
    half = len(every) // 2
    for name, part in (("part-0.npz", slice(half)), ("part-1.npz", slice(half, None))):
        np.savez(folder / name, network=vectors[part], code=codes[part])
    return folder


def test_drawn_templates_are_read_palm_by_palm(tmp_path):
    """Parts follow each other, views of one palm lie side by side."""
    drawn = read_drawn(write_drawn(tmp_path / "drawn"))

    assert drawn.codes.shape == (24, 2, 512)
    assert drawn.vectors.dtype == np.float16
    expected = template_of(17, noise=0.3, sample=2)
    np.testing.assert_array_equal(drawn.codes[17, 1], expected.code)
    with pytest.raises(DatasetFault, match="no drawn templates"):
        read_drawn(tmp_path)


def test_every_first_view_meets_its_own_and_its_neighbours(tmp_path):
    """Mates are pairs of one palm; the pairs of others are of two."""
    drawn = read_drawn(write_drawn(tmp_path / "drawn"))
    pairs = compare_drawn(drawn)

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
    assert all(
        with_penalty < without for with_penalty, without in zip(fused, alone, strict=True)
    )


def test_the_largest_weight_that_costs_nothing_is_chosen():
    """At one rate as at the other; where doubt never helps, there is none."""
    fewest_early = [(100, 100) if w == 0.02 else (150, 101) for w in WEIGHTS]
    flat_until_five = [(100, 90) if w <= 0.05 else (100, 95) for w in WEIGHTS]
    harmful = [(100 + round(1000 * w), 100 + round(1000 * w)) for w in WEIGHTS]

    assert choose_weight(fewest_early) == 0.02
    assert choose_weight(flat_until_five) == 0.05
    assert choose_weight(harmful) == 0.0


def test_the_command_writes_what_it_fitted(tmp_path):
    """Numbers of palms that nobody owns, and a calibration that has no thresholds yet."""
    folder = write_drawn(tmp_path / "drawn")
    begun = tmp_path / f"{EXTRACTOR}.toml"
    options = ["--out", str(begun), "--results", str(tmp_path)]
    done = CliRunner().invoke(app, ["calibrate", "--drawn", str(folder), *options])

    assert done.exit_code == 0, done.output
    written = json.loads((tmp_path / f"fusion-{EXTRACTOR}.json").read_text())
    assert written["comparisons"] == {"mated": 24, "nonmated": 24 * 23}
    assert written["drawn"] == [{"graph": GRAPH, "seed": 1, "views": 2, "palms": 24}]
    penalty = parse_vector_penalty(tomllib.loads(begun.read_text()))
    assert penalty.weight == written["weight"]
    assert list(penalty.expected_cosines) == written["expected_cosines"]
    with pytest.raises(CalibrationFault):
        load_calibration(EXTRACTOR, folder=tmp_path)
    refused = CliRunner().invoke(app, ["calibrate", "--drawn", str(tmp_path), *options])
    assert refused.exit_code == 1


def test_the_palms_of_another_network_fit_nothing(tmp_path):
    """Their vectors are not those that the extractor will make."""
    drawn = read_drawn(write_drawn(tmp_path / "drawn"))
    drawn.plan["graph"] = "ab"

    drawn.require_graph("ab")
    with pytest.raises(DatasetFault, match="another network"):
        drawn.require_graph("cd")


@pytest.mark.parametrize("extractor", [CLASSICAL_EXTRACTOR, EXTRACTOR])
def test_the_numbers_in_use_are_those_that_were_fitted(extractor):
    """Nobody may turn them by hand until the real sets look better."""
    fitted = json.loads((RESULTS / f"fusion-{extractor}.json").read_text())
    penalty = load_vector_penalty(extractor)

    assert fitted["extractor"] == extractor
    assert list(penalty.expected_cosines) == fitted["expected_cosines"]
    assert penalty.weight == fitted["weight"]

"""The weight of vectors beside codes is fitted on drawn palms alone."""

import json
import tomllib
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from benchmarks.__main__ import app
from engine.comparison.compare import load_vector_penalty, parse_vector_penalty
from engine.decision.calibration import load_calibration
from engine.errors import CalibrationFault
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


def test_the_command_writes_what_it_fitted(tmp_path):
    """Figures of drawn palms, and a calibration that has no thresholds yet."""
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


@pytest.mark.parametrize("extractor", ["palmnet-2", EXTRACTOR])
def test_the_numbers_in_use_are_those_that_were_fitted(extractor):
    """They must not be adjusted by hand; `palmnet-3` has the vector of `palmnet-2`."""
    fitted = json.loads((RESULTS / "fusion-palmnet-2.json").read_text())
    penalty = load_vector_penalty(extractor)

    assert list(penalty.expected_cosines) == fitted["expected_cosines"]
    assert penalty.weight == fitted["weight"]

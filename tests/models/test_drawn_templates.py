"""Templates of drawn palms: what a folder holds, and that it can be gone on with."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from benchmarks.datasets import EXTRACTOR, read_drawn
from engine.parameters import TEMPLATE_SIZES
from models import drawn_templates
from models.__main__ import app


@pytest.fixture
def small(monkeypatch):
    """Sensors of four palms, so that a part is quickly made."""
    monkeypatch.setattr(drawn_templates, "SENSOR", 4)


def run(folder, *more):
    """Call the command in this process."""
    return CliRunner().invoke(app, ["templates", "--out", str(folder), "--palms", "8", *more])


def test_a_folder_is_filled_gone_on_with_and_kept_to_its_plan(tmp_path, small):
    """The same palms again, what is missing only, and no other palms among them."""
    folder = tmp_path / "drawn"
    assert run(folder, "--views", "2").exit_code == 0
    first = read_drawn(folder)
    part = sorted(folder.glob("part-*"))[1]
    kept = sorted(folder.glob("part-*"))[0].stat().st_mtime_ns
    part.unlink()
    assert run(folder, "--views", "2").exit_code == 0
    again = read_drawn(folder)

    assert first.codes.shape == (8, 2, 1024)
    assert first.vectors.shape == (8, 2, TEMPLATE_SIZES[EXTRACTOR][0])
    for name in ("codes", "vectors"):
        np.testing.assert_array_equal(getattr(first, name), getattr(again, name))
    assert sorted(folder.glob("part-*"))[0].stat().st_mtime_ns == kept
    refused = run(folder, "--views", "2", "--seed", "8")
    assert refused.exit_code == 1
    assert json.loads((folder / "templates.json").read_text())["seed"] == 7

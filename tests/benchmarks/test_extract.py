"""The times of every stage, measured on pictures that give a template."""

import json

import pytest
from typer.testing import CliRunner

from benchmarks.__main__ import app
from engine.types import Hand
from models.synthesis.photo import draw_photo
from tests.support.palms.hand_models import locator
from tests.support.palms.manifest import write_manifest


@pytest.fixture(scope="module")
def hands(tmp_path_factory):
    """A set of drawn hands: sixteen rows of two photos."""
    locator()
    folder = tmp_path_factory.mktemp("hands")
    for person in range(2):
        photo = draw_photo(person, Hand.LEFT, 1, size_px=480)
        (folder / f"{person}.jpg").write_bytes(photo.encode())
    rows = [(f"{n % 2}.jpg", f"{n % 2}", "1", "L", "hand") for n in range(16)]
    return write_manifest(folder, rows)


def test_every_stage_is_timed(hands, tmp_path):
    """The targets are about photo → template and crop → template."""
    command = ["extract", str(hands), "--out", str(tmp_path), "--pictures", "16"]
    done = CliRunner().invoke(app, [*command, "--long-side", "640"])
    content = json.loads(next(tmp_path.glob("extract-*.json")).read_text())

    assert done.exit_code == 0, done.output
    stages = content["stages"]
    assert set(stages) == {
        "decode", "locate", "extract", "photo_to_template", "crop_to_template",
    }  # fmt: skip
    assert all(times["runs"] == 16 and times["cpu_ms"] > 0 for times in stages.values())
    assert stages["photo_to_template"]["cpu_ms"] > stages["crop_to_template"]["cpu_ms"]

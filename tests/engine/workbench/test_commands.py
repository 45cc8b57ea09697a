"""commands: what a run of many files leaves behind, with an engine that needs no network."""

import json

import pytest
from typer.testing import CliRunner

from engine.__main__ import app
from engine.library import Engine
from engine.settings import EngineSettings
from engine.template_codec import decode_template, encode_template
from engine.types import Hand
from engine.workbench import inspection
from engine.workbench.manifest import manifest_rows
from tests.support.palms.calibration import FAKE_CALIBRATION
from tests.support.palms.picture_files import encoded
from tests.support.palms.pipeline import fake_pipeline, palm_pixels
from tests.support.palms.templates import template_of

PICTURES = ("p.jpg", "p.png", "session1/Ada/1.png", "session2/Ada\u2028/1.png")


@pytest.fixture
def run(monkeypatch):
    """Give the command line, with a fake pipeline and its calibration."""
    monkeypatch.setattr("engine.library.load_calibration", lambda *_, **__: FAKE_CALIBRATION)
    engine = Engine(fake_pipeline(), EngineSettings())
    monkeypatch.setattr("engine.workbench.commands._engine", lambda _: engine)
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def pictures(tmp_path):
    """Give a folder of four palms, whose files are called alike in pairs."""
    for seed, name in enumerate(PICTURES):
        path = tmp_path / "pictures" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(encoded(palm_pixels(seed), path.suffix))
    return tmp_path / "pictures"


def test_an_interrupted_run_goes_on_and_loses_nothing(run, pictures, tmp_path, monkeypatch):
    """Every picture is read once, and has its own template and label."""
    read: list[str] = []
    out, inspect, stops = tmp_path / "out", inspection.inspect, [2]

    def interrupted(pipeline, file):
        if [len(read)] == stops:
            raise KeyboardInterrupt
        read.append(file.path.relative_to(pictures).as_posix())
        return inspect(pipeline, file)

    monkeypatch.setattr(inspection, "inspect", interrupted)
    assert run("extract", pictures, "--out", out).exit_code != 0
    assert len(list(out.glob("*.template"))) == stops.pop()
    manifest = out / "manifest.csv"
    manifest.write_text(manifest.read_text() + "half-a-row.templ")
    assert run("extract", pictures, "--out", out, "--jobs", 2).exit_code == 0

    rows = manifest_rows(manifest)
    codes = {decode_template((out / row["path"]).read_bytes()).code.tobytes() for row in rows}
    assert sorted(read) == list(PICTURES)
    assert len({row["path"] for row in rows}) == len(codes) == 4
    assert len({row["identity"] for row in rows}) == 4


def test_a_folder_of_other_files_takes_no_templates(run, pictures):
    """Its manifest says whose pictures those are, and would be written over."""
    (pictures / "manifest.csv").write_text("path,identity\nada.jpg,ada\n")
    done = run("extract", pictures, "--out", pictures)

    assert (done.exit_code, "choose another folder" in done.output) == (2, True)


def test_a_missing_path_is_a_line_of_the_report(run, pictures):
    """The others are still read."""
    done = run("extract", pictures / "gone.jpg", pictures / "p.png", "--json-lines")

    gone, there = map(json.loads, done.stdout.splitlines())
    assert gone["error"]["message"] == "No such file or directory"
    assert there["error"] is None
    assert done.exit_code == 1


def test_left_against_right_has_its_own_status(run, tmp_path):
    """A script must not take it for a comparison that was made."""
    for hand in Hand:
        (tmp_path / f"{hand}.template").write_bytes(encode_template(template_of(1, hand=hand)))

    left, right = tmp_path / "left.template", tmp_path / "right.template"
    assert run("compare", left, right).exit_code == 3
    assert run("compare", left, left).exit_code == 0
    found = run("identify", right, "--gallery", left, "--csv").stdout
    assert ",non-match," in found, "with no palm of this hand"

"""thenar engine: what an engineer types and what comes back, on drawn hands."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from engine.__main__ import app
from engine.template_codec import decode_template
from engine.types import Hand
from tests.support.palms import drawn_palms
from tests.support.palms.hand_models import locator

PNG = b"\x89PNG\r\n\x1a\n"

runner = CliRunner()


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    """Two people, two pictures of a hand each."""
    locator()
    folder = tmp_path_factory.mktemp("people")
    for seed, name in ((1, "ann"), (2, "bob")):
        (folder / name).mkdir()
        for shot in (1, 2):
            data = drawn_palms.photo(seed, hand=Hand.LEFT, shot=shot)
            (folder / name / f"{shot}.jpg").write_bytes(data)
    return folder


def run(*arguments: object, expect: int = 0) -> str:
    """Run the command and return what it printed."""
    result = runner.invoke(
        app, [str(argument) for argument in arguments], env={"COLUMNS": "200"}
    )
    assert result.exit_code == expect, result.output
    return result.stdout


def test_extract_writes_templates_and_a_picture(people, tmp_path):
    """The results come as a table, as files and as a picture."""
    drawn = tmp_path / "found.png"

    printed = run("extract", people, "--out", tmp_path / "templates", "--draw", drawn)

    assert printed.count("left") == 4
    assert "error" not in printed
    written = sorted((tmp_path / "templates").glob("*.template"))
    assert [path.name for path in written] == [
        "ann-1.template", "ann-2.template", "bob-1.template", "bob-2.template",
    ]  # fmt: skip
    assert {decode_template(path.read_bytes()).hand for path in written} == {Hand.LEFT}
    assert drawn.read_bytes().startswith(PNG)


def test_compare_tells_one_palm_from_another(people, tmp_path):
    """Score, threshold, rate and decision for each reference, and two rows to look at."""
    drawn = tmp_path / "both.png"
    probe, same, other = people / "ann" / "1.jpg", people / "ann" / "2.jpg", people / "bob"

    found = json.loads(run("compare", probe, same, other, "--json", "--draw", drawn))
    table = run("compare", probe, same, "--rate", "0.01")

    assert [one["match"] for one in found["comparisons"]] == [True, False, False]
    scores = [one["score"] for one in found["comparisons"]]
    assert scores[0] >= found["threshold"] > max(scores[1:])
    assert found["comparisons"][0]["fmr_at_score"] < 1e-4
    assert "match" in table
    assert drawn.read_bytes().startswith(PNG)


def test_compare_needs_a_probe(people, tmp_path, monkeypatch):
    """Without a template of the probe there is nothing to compare."""
    monkeypatch.chdir(tmp_path)  # a table has no space for long names
    Path("broken.jpg").write_bytes(b"\xff\xd8\xff")

    assert "sample_unreadable" in run("compare", "broken.jpg", people / "bob", expect=1)


def test_identify_names_the_palm(people, tmp_path):
    """One to many: the label of who it is, from a folder of folders, pictures or templates."""
    drawn = tmp_path / "who.png"
    templates = tmp_path / "templates"
    run("extract", people, "--out", templates)
    probe = templates / "bob-2.template"

    (found,) = json.loads(
        run("identify", probe, "--gallery", people, "--json", "--draw", drawn)
    )
    table = run("identify", people / "ann" / "2.jpg", "--gallery", people / "bob")
    lines = run("identify", people / "ann" / "2.jpg", "--gallery", templates, "--csv")

    assert found["match"] == "bob"
    assert found["candidates"][0]["score"] >= found["threshold"]
    assert "non-match" in table
    assert ",1,ann," in lines.splitlines()[1]
    assert lines.splitlines()[1].endswith(",match,,")
    assert drawn.read_bytes().startswith(PNG)


def test_an_empty_gallery_is_a_fault(people, tmp_path):
    """An empty gallery is not the same as a non-match, and the file is named."""
    (tmp_path / "broken.jpg").write_bytes(b"")

    result = runner.invoke(
        app,
        ["identify", str(people / "ann"), "--gallery", str(tmp_path)],
        env={"COLUMNS": "200"},
    )

    assert result.exit_code == 1
    assert "broken.jpg: sample_unreadable" in result.stderr
    assert "gallery_fault" in result.stderr


def test_too_many_rows_are_refused_before_the_work(tmp_path):
    """A picture of a thousand rows would be found out after an hour otherwise."""
    for number in range(13):
        (tmp_path / f"{number}.jpg").write_bytes(b"")

    result = runner.invoke(app, ["extract", str(tmp_path), "--draw", str(tmp_path / "x.png")])

    assert result.exit_code == 2
    assert not (tmp_path / "x.png").exists()


def test_missing_networks_are_said(tmp_path):
    """The first thing that happens to a newcomer who skipped a step."""
    (tmp_path / "palm.jpg").write_bytes(b"")

    result = runner.invoke(
        app,
        ["extract", str(tmp_path)],
        env={"THENAR_ENGINE_WEIGHTS_DIR": str(tmp_path), "COLUMNS": "200"},
    )

    assert result.exit_code == 1
    assert "thenar engine verify" in result.stderr

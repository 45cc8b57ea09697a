"""The whole command on drawn palms: what it writes, and what it refuses."""

import csv
import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from benchmarks.__main__ import app
from engine.types import Hand
from tests.benchmarks.accuracy.test_samples import network_file
from tests.engine.test_extract import palm
from tests.support.palms.drawn_palms import photo, spoilt
from tests.support.palms.manifest import HEADING, write_manifest

SUBJECTS = (*HEADING, "subject")


def run(*arguments: object) -> tuple[int, str]:
    """Run the command; return its exit code and what it said, on one line."""
    done = CliRunner().invoke(app, ["accuracy", *map(str, arguments), "--workers", "1"])
    return done.exit_code, " ".join(done.output.split())


@pytest.fixture(scope="module")
def hands(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Drawn hands, one back of a hand, a palm without mates, two pictures without a hand."""
    folder = tmp_path_factory.mktemp("sets") / "drawn-hands"
    folder.mkdir()
    rows = []
    for seed in (1, 2, 3):
        for hand in Hand:
            for shot in (1, 2):
                name = f"{seed}-{hand.value}-{shot}.jpg"
                (folder / name).write_bytes(photo(seed, hand=hand, shot=shot))
                rows.append((name, f"{seed}{hand.value}", "1", hand.value[0].upper(), "hand", str(seed)))  # fmt: skip # noqa: E501
    (folder / "unknown.jpg").write_bytes(photo(4, hand=Hand.LEFT))
    rows.append(("unknown.jpg", "", "", "", "hand", ""))
    (folder / "back.jpg").write_bytes(spoilt("back"))
    rows.append(("back.jpg", "", "", "", "hand", ""))
    for number in range(2):
        noise = np.random.default_rng(number).integers(0, 255, (90, 90, 3), np.uint8)
        cv2.imwrite(str(folder / f"noise{number}.png"), noise)
        rows.append((f"noise{number}.png", "", "", "", "negative", ""))
    return write_manifest(folder, rows, SUBJECTS)


@pytest.fixture(scope="module")
def crops(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set of drawn crops in two sessions, in a format the service does not take."""
    folder = tmp_path_factory.mktemp("sets") / "drawn-crops"
    folder.mkdir()
    rows = []
    for number in range(12):
        for session in (1, 2):
            name = f"{number}-{session}.bmp"
            cv2.imwrite(str(folder / name), palm(number, shot=session, size=160))
            rows.append((name, f"p{number}", str(session), "LR"[number % 2], "roi", ""))
    return write_manifest(folder, rows, SUBJECTS)


@pytest.fixture(scope="module")
def hands_report(hands: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the drawn hands, by what the service decides by: that is calibrated."""
    out = tmp_path_factory.mktemp("out") / "hands"
    code, said = run(hands, "--out", out, "--method", "fused")
    assert code == 0, said
    return out


def read_report(folder: Path) -> dict[str, Any]:
    """Read ``report.json``."""
    content: dict[str, Any] = json.loads((folder / "report.json").read_text())
    return content


def rows_of(folder: Path) -> list[dict[str, str]]:
    """Read the manifest of a set."""
    return list(csv.DictReader((folder / "manifest.csv").read_text().splitlines()))


def test_hands_are_counted_as_what_they_are(hands_report):
    """Refused hands count for FTA, refused negatives do not; others are compared."""
    report = read_report(hands_report)

    acquisition = report["acquisition"]
    assert (acquisition["fta"]["count"], acquisition["fta"]["total"]) == (1, 14)
    assert acquisition["fta_by_reason"] == {"back_of_hand": 1}
    assert acquisition["fta_unknown_palms"]["total"] == 2
    assert acquisition["negatives_taken_for_hands"]["count"] == 0
    assert acquisition["negatives_taken_for_hands"]["total"] == 2
    assert acquisition["wrong_side"]["count"] == 0
    assert report["set"]["people"] == 3
    assert report["set"]["bootstrap_over"] == "subjects"
    code = report["methods"]["code"]
    assert code["comparisons"] == {"mated": 6, "nonmated": 24 + 6}


def test_the_json_identifies_no_person(hands_report, hands):
    """It is committed; neither a file, nor a palm, nor a person may be found in it."""
    text = (hands_report / "report.json").read_text()

    assert str(hands) not in text
    for row in rows_of(hands):
        assert row["path"] not in text
        assert not row["identity"] or f'"{row["identity"]}"' not in text


def test_crops_of_two_sessions_are_compared_across_them(crops, tmp_path):
    """And a network named by its file is measured beside the code; all of it repeats."""
    network = network_file(tmp_path)
    reports = []
    for name in ("one", "two"):
        code, said = run(
            crops / "manifest.csv", "--out", tmp_path / name, "--method", network,
            "--method", "code", "--by", "hand", "--by", "session",
        )  # fmt: skip
        assert code == 0, said
        reports.append(read_report(tmp_path / name))

    first, second = reports
    assert list(first["methods"]) == ["net.onnx", "code", "vector"]
    assert list(first["parameters"]["networks"]) == ["net.onnx"]
    assert first["methods"]["code"]["comparisons"] == {"mated": 12, "nonmated": 60}
    assert first["methods"]["code"]["eer"]["value"] == 0
    assert first["methods"]["code"]["identification"]["rank_1"]["share"] == 1
    by = first["methods"]["code"]["by"]
    assert (list(by["hand"]), list(by["session"])) == (["L", "R"], ["2"])
    assert [by["hand"][side]["at"][0]["fnmr"]["total"] for side in "LR"] == [6, 6]
    assert "calibration" not in first
    assert first["methods"] == second["methods"]
    one, two = ((tmp_path / name / "scores.npz").read_bytes() for name in ("one", "two"))
    assert one == two


@pytest.mark.parametrize("more", [["--across"], []])
def test_two_sets_of_one_name_are_refused(tmp_path, more):
    """Else two people with one label would be one."""
    folders = [tmp_path / site / "palms" for site in "ab"]
    for folder in folders:
        (folder / "p1").mkdir(parents=True)
        (folder / "p1" / "1.jpg").touch()

    code, said = run(*folders, "--out", tmp_path / "out", *more)

    assert (code, "same name" in said) == (1, True)

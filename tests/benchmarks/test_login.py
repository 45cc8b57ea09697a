"""``thenar bench login``, small: a real service, phones that send templates of drawn palms."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchmarks.__main__ import app
from benchmarks.harness.live_gallery import (
    DELETED,
    ENROLLED,
    ERASED,
    NOT_SEARCHABLE,
    SAMPLE,
    SEARCHABLE,
)
from engine.networks.manifest import read_manifest
from engine.settings import PALM_GRAPH, EngineSettings
from models.drawn_templates import fill_templates, prepare_templates


def drawn_folder(folder: Path, palms: int, views: int) -> Path:
    """Write templates of drawn palms as ``thenar models templates`` leaves them."""
    settings = EngineSettings()
    graph = settings.weights_dir / read_manifest(settings.manifest)[PALM_GRAPH].file
    plan = prepare_templates(folder, graph, seed=6, views=views, shift=0.0)
    assert sum(fill_templates(folder, plan, palms, workers=1)) == palms
    return folder


@pytest.mark.hands
def test_logins_enrolments_and_erasures_are_timed(tmp_path: Path) -> None:
    """Every stage of the road, by people who are known and then forgotten."""
    folder = drawn_folder(tmp_path / "drawn", 4, 3)
    command = ["login", str(folder), "--people", "4", "--logins", "3", "--erasures", "2"]

    done = CliRunner().invoke(app, [*command, "--out", str(tmp_path)])

    assert done.exit_code == 0, done.output
    told = json.loads((tmp_path / "login-4.json").read_text())
    counts = {name: times["count"] for name, times in told["times_ms"].items()}
    assert (told["enrolled"], told["known"], told["erasures"]) == (4, 3, 2)
    assert counts["enrolment acknowledged"] == 4
    assert counts["whole login"] == counts["palm"] == counts["token"] == 3
    assert counts["erasure acknowledged"] == 2
    within = {name: times["count"] for name, times in told["within_ms"].items()}
    assert (within[SAMPLE], within[ENROLLED], within[SEARCHABLE]) == (8, 4, 4)
    assert (within[ERASED], within[NOT_SEARCHABLE], within[DELETED]) == (2, 2, 2)
    assert [target["value"] for target in told["bars"]] == [
        told["within_ms"][stage][share]
        for stage in (ENROLLED, SEARCHABLE, NOT_SEARCHABLE)
        for share in ("p50", "p99")
    ]
    assert told["within_ms"][ENROLLED]["p50"] < told["within_ms"][SEARCHABLE]["p50"]
    assert told["within_ms"][ERASED]["p50"] < told["within_ms"][NOT_SEARCHABLE]["p50"]
    assert {target["verdict"] for target in told["bars"]} <= {"goal met", "met", "missed"}
    assert all(t["p50"] <= t["p99"] <= t["p999"] for t in told["times_ms"].values())


def test_too_few_pictures_are_said(tmp_path: Path) -> None:
    """Two enrol; a third one signs in."""
    done = CliRunner().invoke(app, ["login", str(drawn_folder(tmp_path / "drawn", 4, 2))])

    assert done.exit_code == 1

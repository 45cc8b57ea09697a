"""``thenar bench page``: its camera, whom it lets sign in, and what it says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from benchmarks.datasets.manifest import DatasetFault, PalmSet, Picture
from benchmarks.phone_page import command, measured, run
from tests.support.palms.picture_files import encoded, gradient

NUMBERS: dict[str, Any] = {
    "browser": "Chromium 1",
    "answer_ms": {"answered": {"count": 2, "p50": 900.0, "p95": 950.0, "longest": 960.0}},
    "judged_ms": {
        "count": 2,
        "p50": 6900.0,
        "p95": 6950.0,
        "longest": 6960.0,
        "steps": 3,
        "refused": 0,
        "more_p50": 6000.0,
    },
    "first_visit_octets": 7_000_000,
}


def palm_set(folder: Path, shots: int) -> PalmSet:
    """Write a set of one person."""
    path = folder / "hand.jpg"
    path.write_bytes(encoded(gradient(64, 64)))
    pictures = [Picture(path, f"p{hand}", hand, "hand", "p") for hand in "LR" * shots]
    return PalmSet("small", "0" * 64, tuple(pictures))


def test_people_need_three_pictures_of_each_hand(tmp_path: Path) -> None:
    """Two to set up with, the others to sign in with."""
    (person,) = run.read_people(palm_set(tmp_path, 3), 4)

    assert len(person.others) == 4
    with pytest.raises(DatasetFault):
        run.read_people(palm_set(tmp_path, 2), 4)


@pytest.mark.parametrize(
    ("octets", "status"), [(run.VISIT_OCTETS, 0), (run.VISIT_OCTETS + 1, 1)]
)
def test_the_command_writes_both_and_tells_whether_the_bars_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, octets: int, status: int
) -> None:
    """A missed bar is an exit status, not only a line."""
    numbers = NUMBERS | {"first_visit_octets": octets}
    monkeypatch.setattr(measured, "measure", lambda *_: numbers)
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "manifest.csv").write_text(
        "path,identity,session,hand,kind\nhand.jpg,a,1,L,hand\n"
    )
    (tmp_path / "set" / "hand.jpg").write_bytes(encoded(gradient(64, 64)))
    app = typer.Typer()
    app.command()(command.page)
    given = [str(tmp_path / "set"), "--out", str(tmp_path), "--cores", "0"]
    done = CliRunner().invoke(app, given)

    assert done.exit_code == status, done.output
    content = json.loads((tmp_path / "page.json").read_text())
    assert content["bars"]["first_visit"] is (status == 0)
    assert f"{octets}" in (tmp_path / "page.html").read_text()

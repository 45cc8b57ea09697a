"""``thenar bench page``: its camera, whom it lets sign in, and what it says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from benchmarks.datasets.manifest import DatasetFault, PalmSet, Picture
from benchmarks.phone_page import command, measured, run
from benchmarks.phone_page.camera_file import HEIGHT, WIDTH, CameraFile, framed, wall
from tests.support.palms.picture_files import encoded, gradient

HEAD = 10 + len(f"W{WIDTH} H{HEIGHT} F15:1 Ip A1:1 C420mpeg2\n")

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


def frames_in(path: Path) -> list[np.ndarray[Any, Any]]:
    """Read a raw video back, as RGB."""
    data = path.read_bytes()[HEAD:]
    size = len(b"FRAME\n") + WIDTH * HEIGHT * 3 // 2
    frames = [data[at + 6 : at + size] for at in range(0, len(data), size)]
    planes = [np.frombuffer(each, np.uint8).reshape(-1, WIDTH) for each in frames]
    return [np.asarray(cv2.cvtColor(each, cv2.COLOR_YUV2RGB_I420)) for each in planes]


def test_the_camera_keeps_its_length_and_shows_what_it_is_given(tmp_path: Path) -> None:
    """A file that is read while it is written must never have another length."""
    camera = CameraFile(tmp_path / "camera.y4m", length=3)
    length = (tmp_path / "camera.y4m").stat().st_size
    hand = framed(encoded(gradient(300, 400)))
    camera.show(hand, wall())

    shown = frames_in(tmp_path / "camera.y4m")
    assert (tmp_path / "camera.y4m").stat().st_size == length
    assert [
        float(np.abs(a.astype(int) - b).mean()) < 2
        for a, b in zip(shown, (hand, wall(), hand), strict=True)
    ] == [True, True, True]
    assert str(tmp_path / "camera.y4m") in camera.flags[-1]


def test_what_is_no_picture_is_no_hand() -> None:
    """A damaged file of a set says so."""
    with pytest.raises(ValueError, match="no picture"):
        framed(b"nothing")


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

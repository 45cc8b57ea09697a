"""Drawn sessions: do bona fide hands follow the challenge before the product's own locator?"""

import json
import random
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

from typer.testing import CliRunner

from engine.presentation_attack.challenge import draw_challenge
from engine.presentation_attack.session import Phase
from mobile_api.frames import read_frames
from models.__main__ import app
from models.synthesis.presentations.session import open_filming
from models.synthesis.presentations.species import BONA_FIDE


def test_frames_come_as_the_page_sends_them() -> None:
    """Open, on the way, moved, back and, where asked, tilted; times ascend."""
    challenge = draw_challenge(random.Random(3))  # noqa: S311 - drawn again the same
    frames = open_filming(BONA_FIDE, 8, 2, challenge).frames()
    for number, step in enumerate(challenge.steps):
        mine = [frame for frame in frames if frame.step == number]
        wanted = [Phase.OPEN, Phase.MOVED, Phase.MOVED, Phase.BACK]
        tilted = [] if step.tilt_deg is None else [Phase.TILTED]
        assert [frame.phase for frame in mine] == wanted + tilted
        assert all(a.at_s < b.at_s for a, b in pairwise(mine))


def test_command_fills_a_folder(tmp_path: Path) -> None:
    """Sessions say what they are; a second run draws nothing again."""
    options = ["present", "--out", str(tmp_path), "--species", "cut_out", "--people", "2"]
    assert CliRunner().invoke(app, options).exit_code == 0
    described = [json.loads(p.read_text()) for p in sorted(tmp_path.rglob("session.json"))]
    assert [one["is_scene_kept_out"] for one in described] == [False, True]
    folder = tmp_path / "cut_out" / "00000-01"
    assert all((folder / frame["file"]).is_file() for frame in described[0]["frames"])
    times = [p.stat().st_mtime_ns for p in sorted(tmp_path.rglob("*.jpg"))]
    assert CliRunner().invoke(app, options).exit_code == 0
    assert [p.stat().st_mtime_ns for p in sorted(tmp_path.rglob("*.jpg"))] == times


def test_camera_answers_a_step_as_phones_do() -> None:
    """The phone can read what the program writes."""
    sent = {
        "number": 1, "motion": "fold_thumb", "outline": {"x": 0.5, "y": 0.6, "size": 0.22},
        "hold_ms": 500, "tilt_deg": None, "answer_within_ms": 20000,
    }  # fmt: skip
    program = [sys.executable, "-m", "models", "camera", "--person", "7"]
    started = time.monotonic()
    done = subprocess.run(program, input=json.dumps(sent).encode(), stdout=-1, check=True)  # noqa: S603 -- our own
    frames = read_frames(done.stdout)
    assert [frame.phase for frame in frames] == [
        Phase.OPEN, Phase.MOVED, Phase.MOVED, Phase.BACK,
    ]  # fmt: skip
    assert time.monotonic() - started > frames[-1].at_ms / 1000

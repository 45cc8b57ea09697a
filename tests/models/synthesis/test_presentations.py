"""Drawn sessions: do bona fide hands follow the challenge before the product's own locator?"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from engine.pipeline import PalmPipeline, load_pipeline
from engine.presentation_attack.challenge import (
    Challenge,
    Motion,
    Outline,
    Step,
    draw_challenge,
)
from engine.presentation_attack.session import Phase
from engine.settings import EngineSettings
from engine.types import Hand, PalmSample
from mobile_api.frames import read_frames
from models.__main__ import app
from models.synthesis.anatomy import F64, U8
from models.synthesis.photo import draw_photo
from models.synthesis.presentations.cameras import CAMERAS
from models.synthesis.presentations.lamps import LAMPS
from models.synthesis.presentations.page_view import Correction, correction_of
from models.synthesis.presentations.scene import Scene
from models.synthesis.presentations.session import DrawnFrame, open_filming
from models.synthesis.presentations.species import BONA_FIDE, CONTROL, SPECIES

pytestmark = pytest.mark.hands
NOTHING = Correction()

PLACE = Outline(0.5, 0.6, 0.24)
Points = dict[tuple[int, int], F64]
"""Landmarks by step and number of the frame."""

CHALLENGE = Challenge(tuple(Step(motion, PLACE, 0.5) for motion in Motion))


@pytest.fixture(scope="module")
def pipeline() -> PalmPipeline:
    """Load the engine."""
    return load_pipeline(EngineSettings())


@pytest.fixture(scope="module")
def points(pipeline: PalmPipeline) -> Points:
    """Locate the hand in the open and the moved frame of each motion, in palm widths."""
    frames = open_filming(BONA_FIDE, 7, 1, CHALLENGE).frames()
    found = {}
    for number, frame in enumerate(frames):
        if number % 4 in {0, 2}:
            located = pipeline.locator.locate(PalmSample(frame.pixels)).points
            width = PLACE.size * min(frame.pixels.shape[:2])
            found[frame.step, number % 4] = (located - located[[0, 5, 17]].mean(axis=0)) / width
    return found


def _angle(points: F64) -> float:
    """Return the angle between index and little finger, degrees."""
    index, little = points[8] - points[5], points[20] - points[17]
    turn = np.arctan2(*index) - np.arctan2(*little)
    return abs(float(np.degrees(np.arctan2(np.sin(turn), np.cos(turn)))))


def _step(motion: Motion) -> int:
    return list(Motion).index(motion)


def test_folded_thumb_crosses_the_palm(points: Points) -> None:
    """The tip of the thumb moves by half a palm at least, the other tips stay."""
    moved = np.linalg.norm(
        points[_step(Motion.FOLD_THUMB), 2] - points[_step(Motion.FOLD_THUMB), 0], axis=1
    )
    assert moved[4] > 0.5
    assert moved[[8, 12, 16, 20]].max() < 0.25


def test_fingers_spread_and_close(points: Points) -> None:
    """The angle of the fan follows."""
    spread, close = _step(Motion.SPREAD_FINGERS), _step(Motion.CLOSE_FINGERS)
    assert _angle(points[spread, 2]) - _angle(points[spread, 0]) > 12
    assert _angle(points[close, 0]) - _angle(points[close, 2]) > 8


def test_fist_brings_the_tips_to_the_palm(points: Points) -> None:
    """Fingertips come near the wrist."""
    fist = _step(Motion.LOOSE_FIST)
    tips = [8, 12, 16, 20]
    reach = {at: np.linalg.norm(points[fist, at][tips] - points[fist, at][0], axis=1).mean()
             for at in (0, 2)}  # fmt: skip
    assert reach[2] < 0.7 * reach[0]


def test_frames_come_as_the_page_sends_them() -> None:
    """Open, on the way, moved, back and, where asked, tilted; times ascend."""
    challenge = draw_challenge(random.Random(3), light=True)  # noqa: S311 - drawn again the same
    frames = open_filming(BONA_FIDE, 8, 2, challenge).frames()
    for number, step in enumerate(challenge.steps):
        mine = [frame for frame in frames if frame.step == number]
        wanted = [Phase.OPEN, Phase.MOVED, Phase.MOVED, Phase.BACK]
        tilted = [] if step.tilt_deg is None else [Phase.TILTED]
        assert [frame.phase for frame in mine] == wanted + tilted
        assert all(a.at_s < b.at_s for a, b in pairwise(mine))


@pytest.mark.parametrize(
    ("person", "session", "step"), [(8180, 0, 0), (8476, 0, 0)], ids=["place", "brightness"]
)
def test_whoever_hears_of_the_page_what_is_wrong_mends_it(
    person: int, session: int, step: int
) -> None:
    """The page takes no palm that is out of its outline or too bright."""
    chance = random.Random(f"{person}-{session}")  # noqa: S311 - the same again
    asked = draw_challenge(chance, light=True)
    filming = open_filming(BONA_FIDE, person, session, asked)
    opened, outline = filming.performance.moments(step)[0], asked.steps[step].outline

    def said(pixels: U8) -> Correction:
        return correction_of(outline, filming.performance.places[step], pixels)

    assert said(filming.take(opened)) != NOTHING
    assert said(filming.take_as_page(opened)) == NOTHING


@pytest.mark.parametrize("species", [BONA_FIDE, CONTROL, *(one.name for one in SPECIES)])
def test_same_seeds_give_the_same_frames(species: str) -> None:
    """Sessions are functions of their seeds."""
    challenge = Challenge((Step(Motion.FOLD_THUMB, PLACE, 0.5, 90.0),))
    first, again = (open_filming(species, 5, 1, challenge) for _ in range(2))
    for moment in first.performance.moments(0)[1:3]:
        assert first.take(moment).tobytes() == again.take(moment).tobytes()


def test_other_sessions_differ() -> None:
    """No frame comes twice, within a session or between two."""
    challenge = Challenge((Step(Motion.FOLD_THUMB, PLACE, 0.5),))
    frames = [
        f
        for s in (1, 2)
        for f in _pixels(open_filming("print_still", 5, s, challenge).frames())
    ]
    assert len(set(frames)) == len(frames)


def _pixels(frames: list[DrawnFrame]) -> list[bytes]:
    return [frame.pixels.tobytes() for frame in frames]


def test_half_of_the_attacks_and_of_what_surrounds_them_is_kept_out() -> None:
    """Names are unique; tuning sees half of the species, lamps and cameras."""
    for listed in (SPECIES, LAMPS, CAMERAS):
        assert len({one.name for one in listed}) == len(listed)
        kept_out = sum(one.is_kept_out for one in listed)
        assert abs(2 * kept_out - len(listed)) <= 1


def test_a_recapture_without_trace_shows_the_same_hand(pipeline: PalmPipeline) -> None:
    """The control differs from a bona fide session by a second camera alone."""
    moved = open_filming(
        CONTROL, 5, 1, Challenge((Step(Motion.FOLD_THUMB, PLACE, 0.5),))
    ).frames()[2]
    found = pipeline.locator.locate(PalmSample(moved.pixels)).points
    assert np.linalg.norm(found[4] - found[0]) < np.linalg.norm(found[8] - found[0])


def test_screens_leave_waves_that_prints_on_photo_paper_do_not() -> None:
    """A desktop's pixels beat with those of a phone's camera."""
    assert _wave("screen_desktop") > 3 * _wave("print_still")


def _wave(species: str) -> float:
    """Return the strongest fine wave over all others in a patch of the palm."""
    scene = Scene(np.random.default_rng(1), CAMERAS[0], LAMPS[0], CHALLENGE)
    filming = replace(open_filming(species, 100, 2, CHALLENGE), scene=scene)
    pixels = filming.take(filming.performance.moments(0)[0])
    height, width = pixels.shape[:2]
    y, x = int(PLACE.y * height), int(PLACE.x * width)
    patch = pixels[y - 32 : y + 32, x - 32 : x + 32].astype(float).mean(axis=2)
    window = np.outer(np.hanning(64), np.hanning(64))
    spectrum = np.abs(np.fft.fft2((patch - patch.mean()) * window))
    rate = np.abs(np.fft.fftfreq(64))
    fine = np.maximum(rate[:, None], rate[None]) > 0.25
    return float(spectrum[fine].max() / np.median(spectrum[fine]))


def test_a_real_picture_is_presented(pipeline: PalmPipeline) -> None:
    """A given picture is printed where the palm is asked to be."""
    source = draw_photo(3, Hand.LEFT, 1).pixels
    challenge = Challenge((Step(Motion.FOLD_THUMB, PLACE, 0.5),))
    filming = open_filming("print_still", 5, 1, challenge, source=source)
    pixels = filming.take(filming.performance.moments(0)[0])
    found = pipeline.locator.locate(PalmSample(pixels)).points
    place = found[[0, 5, 17]].mean(axis=0) / pixels.shape[1::-1]
    assert place == pytest.approx((PLACE.x, PLACE.y), abs=0.05)


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
    told = {
        "number": 1, "motion": "fold_thumb", "outline": {"x": 0.5, "y": 0.6, "size": 0.22},
        "hold_ms": 500, "tilt_deg": None, "colours": [[255, 170, 170], [150, 215, 255]],
        "answer_within_ms": 20000,
    }  # fmt: skip
    program = [sys.executable, "-m", "models", "camera", "--person", "7"]
    started = time.monotonic()
    done = subprocess.run(program, input=json.dumps(told).encode(), stdout=-1, check=True)  # noqa: S603 -- our own
    frames = read_frames(done.stdout)
    assert [frame.phase for frame in frames] == [
        Phase.OPEN,
        Phase.MOVED,
        Phase.MOVED,
        Phase.BACK,
    ]
    assert time.monotonic() - started > frames[-1].at_ms / 1000
    assert {frame.colour for frame in frames} <= {None, 0, 1}


def test_unknown_species_are_refused(tmp_path: Path) -> None:
    """The commands name them."""
    assert CliRunner().invoke(app, ["camera", "--person", "1", "--species", "x"]).exit_code == 2
    result = CliRunner().invoke(app, ["present", "--out", str(tmp_path), "--species", "x"])
    assert result.exit_code == 1


def test_a_session_is_drawn_in_seconds() -> None:
    """Twelve frames of a hand within 15 s of computing, a third of that usually."""
    started = time.process_time()
    open_filming(BONA_FIDE, 9, 1, CHALLENGE).frames()
    assert time.process_time() - started < 20

"""Drawn sessions: do bona fide hands follow the challenge before the product's own locator?"""

from __future__ import annotations

import random
import time
from itertools import pairwise

import numpy as np
import pytest

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
from engine.types import PalmSample
from models.synthesis.anatomy import F64
from models.synthesis.presentations.session import DrawnFrame, draw_session
from models.synthesis.presentations.species import BONA_FIDE, SPECIES

pytestmark = pytest.mark.hands

PLACE = Outline(0.5, 0.6, 0.24)
Points = dict[tuple[int, int], F64]
"""Landmarks by step and number of the frame."""

CHALLENGE = Challenge(tuple(Step(motion, PLACE, 0.5) for motion in Motion))


@pytest.fixture(scope="module")
def pipeline() -> PalmPipeline:
    """Load the engine with the networks that ``thenar models fetch`` brought."""
    return load_pipeline(EngineSettings())


@pytest.fixture(scope="module")
def points(pipeline: PalmPipeline) -> Points:
    """Locate the hand in the open and the moved frame of each motion, in palm widths."""
    frames = draw_session(BONA_FIDE, 7, 1, CHALLENGE)
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
    frames = draw_session(BONA_FIDE, 8, 2, challenge)
    for number, step in enumerate(challenge.steps):
        mine = [frame for frame in frames if frame.step == number]
        wanted = [Phase.OPEN, Phase.MOVED, Phase.MOVED, Phase.BACK]
        tilted = [] if step.tilt_deg is None else [Phase.TILTED]
        assert [frame.phase for frame in mine] == wanted + tilted
        assert all(a.at_s < b.at_s for a, b in pairwise(mine))


@pytest.mark.parametrize("species", [BONA_FIDE, *(one.name for one in SPECIES)])
def test_same_seeds_give_the_same_frames(species: str) -> None:
    """Sessions are functions of their seeds; another session differs."""
    challenge = Challenge((Step(Motion.FOLD_THUMB, PLACE, 0.5, 90.0),))
    first, again, other = (
        _pixels(draw_session(species, 5, session, challenge)) for session in (1, 1, 2)
    )
    assert first == again
    assert first != other


def _pixels(frames: list[DrawnFrame]) -> list[bytes]:
    return [frame.pixels.tobytes() for frame in frames]


def test_species_are_listed_once() -> None:
    """Names are unique, and each is one sort of attack."""
    names = [one.name for one in SPECIES]
    assert len(set(names)) == len(names)


def test_a_session_is_drawn_in_seconds() -> None:
    """Twelve frames of a hand within 15 s of computing, a third of that usually."""
    started = time.process_time()
    draw_session(BONA_FIDE, 9, 1, CHALLENGE)
    assert time.process_time() - started < 20

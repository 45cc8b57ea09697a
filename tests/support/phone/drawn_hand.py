"""A drawn hand that does each motion of a challenge, anywhere in the picture."""

import json
import struct
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Final

import cv2
import numpy as np

from engine.pipeline import PalmPipeline, load_pipeline
from engine.presentation_attack.challenge import Motion, Outline
from engine.presentation_attack.motions import palm_centre, palm_width
from engine.settings import EngineSettings
from engine.types import Hand
from tests.support.phone.camera_file import HEIGHT, WIDTH, Frame

DRAWN_AT: Final = {"x": 0.5, "y": 0.66, "size": 0.26}
"""As large as any outline: larger ones would be blurred."""

HOLD_MS: Final = 1000

HAND_REACH: Final = (2.4, 3.0)
"""From the palm's centre to where the background begins, and is all, palm widths."""

_BACKGROUND_BLUR_PX: Final = 30.0

TILTS: Final = {"tilt_left": 0, "tilt_up": 90, "tilt_right": 180, "tilt_down": 270}
"""The angle in the picture, degrees, for each hint of a page that shows a mirror."""

_HEAD: Final = struct.Struct(">IBxI")
"""Milliseconds, phase, length of the JPEG that follows."""


class NoDrawing(Exception):
    """The hand is not drawn as the browser's camera would see it."""


@dataclass(frozen=True, slots=True)
class DrawnHand:
    """One person's hand.

    Attributes:
        motions: frames of each motion: open, way, held, back.
        tilts: what the page says of a tilt, and the motion with whose frames it was drawn.
        places: where each motion's open palm was drawn.
        background: it stays behind the hand; one that moves along shows a flat picture.
    """

    motions: Mapping[str, Mapping[str, Frame]] = field(repr=False)
    tilts: Mapping[str, str]
    places: Mapping[str, Outline]
    background: Frame = field(repr=False)

    def seen(self, motion: str, what: str, at: Outline) -> Frame:
        """Return a frame of a motion, or a tilt, as if the open palm were at this place."""
        motion = self.tilts.get(what, motion)
        return on_background(
            moved(self.motions[motion][what], self.places[motion], at), at, self.background
        )


def draw_hand(person: int, session: int, hand: Hand) -> DrawnHand:
    """Draw a hand with ``thenar models camera``.

    Raises:
        NoDrawing: a palm is not found, or the frames have not the size of the camera's.
    """
    tilts = dict(zip(TILTS, (motion.value for motion in Motion), strict=True))
    with ThreadPoolExecutor(len(tilts)) as pool:
        drawn = pool.map(lambda said: _drawn(person, session, hand, tilts[said], said), tilts)
        motions = dict(zip(tilts.values(), drawn, strict=True))
    pipeline = load_pipeline(EngineSettings(attack_detection="none"))
    places = {motion: _place(pipeline, each["open"]) for motion, each in motions.items()}
    first = next(iter(motions.values()))["open"]
    blurred = cv2.GaussianBlur(first[:, ::-1], (0, 0), _BACKGROUND_BLUR_PX)
    return DrawnHand(motions, tilts, places, np.asarray(blurred, np.uint8))


def _drawn(person: int, session: int, hand: Hand, motion: str, said: str) -> dict[str, Frame]:
    command = ["models", "camera", "--person", str(person), "--session", str(session)]
    step = {"motion": motion, "tilt_deg": TILTS[said], "outline": DRAWN_AT}
    done = subprocess.run(  # noqa: S603 -- our own command line
        [sys.executable, "-m", "mobile_api", *command, "--hand", hand],
        input=json.dumps({**step, "hold_ms": HOLD_MS}).encode(),
        capture_output=True,
        check=True,
    )
    return dict(zip(("open", "way", "held", "back", said), _frames(done.stdout), strict=True))


def _frames(sent: bytes) -> Iterator[Frame]:
    start = 0
    while start < len(sent):
        length = _HEAD.unpack_from(sent, start)[-1]
        start += _HEAD.size
        jpeg = np.frombuffer(sent[start : start + length], np.uint8)
        start += length
        decoded = cv2.imdecode(jpeg, cv2.IMREAD_COLOR)
        if decoded is None or decoded.shape[:2] != (HEIGHT, WIDTH):
            raise NoDrawing(f"its frames have not {WIDTH} × {HEIGHT} pixels: another session")
        yield np.ascontiguousarray(decoded[..., ::-1], np.uint8)


def _place(pipeline: PalmPipeline, frame: Frame) -> Outline:
    """Return where the page will see an open palm."""
    _, found = pipeline.locate(cv2.imencode(".png", frame[..., ::-1])[1].tobytes())
    x, y = palm_centre(found.points) / (WIDTH, HEIGHT)
    return Outline(float(x), float(y), palm_width(found.points) / min(WIDTH, HEIGHT))


def moved(frame: Frame, start: Outline, end: Outline) -> Frame:
    """Return a frame whose palm is at another place, and as large as asked there."""
    larger = end.size / start.size
    right = end.x * WIDTH - larger * start.x * WIDTH
    down = end.y * HEIGHT - larger * start.y * HEIGHT
    matrix = np.array([[larger, 0, right], [0, larger, down]])
    smooth = cv2.INTER_LINEAR if larger > 0.7 else cv2.INTER_AREA
    placed = cv2.warpAffine(
        frame, matrix, (WIDTH, HEIGHT), flags=smooth, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(placed, np.uint8)


def on_background(frame: Frame, palm: Outline, background: Frame) -> Frame:
    """Return a frame that shows the background wherever the hand does not reach."""
    down, right = np.mgrid[:HEIGHT, :WIDTH]
    width = palm.size * min(WIDTH, HEIGHT)
    far = np.hypot(right - palm.x * WIDTH, down - palm.y * HEIGHT) / width
    near, away = HAND_REACH
    share = np.clip((far - near) / (away - near), 0, 1)[..., None]
    return np.asarray(frame * (1 - share) + background * share, np.uint8)

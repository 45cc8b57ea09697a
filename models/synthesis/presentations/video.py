"""Films sessions for a browser's fake camera: JPEG after JPEG, thirty a second."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from engine.presentation_attack.challenge import Challenge
from engine.presentation_attack.session import Phase
from models.synthesis.anatomy import U8
from models.synthesis.camera import encode_jpeg
from models.synthesis.presentations.cameras import CAMERAS
from models.synthesis.presentations.performance import Moment
from models.synthesis.presentations.session import open_filming

BROWSER_FPS: Final = 30
"""Frames a second that Chromium's fake camera plays of an mjpeg file."""

_QUALITY: Final = 90


def film_session(
    species: str, person_seed: int, session_seed: int, challenge: Challenge, *, fps: int = 10
) -> Iterator[U8]:
    """Film a whole session, 640 × 480, without the waits for a page."""
    laptop = next(camera for camera in CAMERAS if camera.name == "laptop")
    filming = open_filming(species, person_seed, session_seed, challenge, camera=laptop)
    for number in range(len(challenge.steps)):
        length = filming.performance.length_s(number)
        for frame in range(round(length * fps)):
            yield filming.take(Moment(number, Phase.OPEN, frame / fps))


def write_video(frames: Iterable[U8], path: Path, *, fps: int = 10) -> None:
    """Write RGB frames as an .mjpeg for ``--use-file-for-fake-video-capture``.

    Each frame is repeated so that it lasts 1 / ``fps`` s; ``fps`` divides 30.
    """
    with path.open("wb") as file:
        for pixels in frames:
            file.write(encode_jpeg(pixels, _QUALITY) * (BROWSER_FPS // fps))

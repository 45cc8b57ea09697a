"""Reduces the frames of a step to observations; no picture is kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.containers import Container
from engine.decode import decode_sample, read_container
from engine.errors import SampleTooLarge, SampleUnreadable
from engine.presentation_attack.session import Frame, Observation, SessionDetector
from engine.types import PalmSample
from mobile_api.frames import SentFrame

MAX_SIDE_PX: Final = 960
"""Longest side of a frame: five are decoded for one request."""


def observe_step(
    detector: SessionDetector,
    frames: Sequence[SentFrame],
    previous: Observation | None,
) -> list[Observation]:
    """Return the observations of a step's frames; ``previous``: the session's last one.

    Raises SampleRefused.
    """
    observations: list[Observation] = []
    for sent in frames:
        frame = Frame(_decoded(sent.jpeg), sent.at_ms / 1000, sent.phase)
        previous = detector.observe(frame, previous)
        observations.append(previous)
    return observations


def _decoded(jpeg: bytes) -> PalmSample:
    """Decode a frame; its size is read before."""
    picture = read_container(jpeg)
    if picture.container is not Container.JPEG:
        raise SampleUnreadable("a frame is not JPEG")
    if max(picture.width, picture.height) > MAX_SIDE_PX:
        raise SampleTooLarge(f"a frame has more than {MAX_SIDE_PX} pixels on a side")
    return decode_sample(jpeg)

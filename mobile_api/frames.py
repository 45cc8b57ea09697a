"""The body of a challenge's step, ``application/vnd.thenar.frames``: times and pictures.

For each frame, big-endian,

    milliseconds (4 bytes) ‖ phase (1) ‖ any (1) ‖ length (4) ‖ JPEG

The milliseconds count from when the step was received. The phase is 0 open, 1 moved, 2 back, 3
tilted.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from engine.presentation_attack.session import Phase

FRAMES_TYPE: Final = "application/vnd.thenar.frames"
"""Content type."""

FRAMES_LIMIT_BYTES: Final = 2_000_000
"""Longest body."""

FRAMES_LIMIT: Final = 5
"""Most frames of a step."""

_HEAD: Final = struct.Struct(">IBxI")
_PHASES: Final = tuple(Phase)


@dataclass(frozen=True, slots=True)
class SentFrame:
    """A frame as a phone sends it.

    Attributes:
        at_ms: since the phone received the step.
        jpeg: the picture, not decoded.
    """

    at_ms: int
    phase: Phase
    jpeg: bytes = field(repr=False)


def write_frames(frames: Sequence[SentFrame]) -> bytes:
    """Return the body with these frames."""
    return b"".join(
        _HEAD.pack(frame.at_ms, _PHASES.index(frame.phase), len(frame.jpeg)) + frame.jpeg
        for frame in frames
    )


def read_frames(body: bytes) -> list[SentFrame]:
    """Parse a body.

    Raises:
        ValueError: it has no frames, too many, or is malformed.
    """
    frames: list[SentFrame] = []
    start = 0
    while start < len(body) and len(frames) <= FRAMES_LIMIT:
        if len(body) < start + _HEAD.size:
            raise ValueError("a frame ends early")
        at_ms, phase, length = _HEAD.unpack_from(body, start)
        start += _HEAD.size
        jpeg = body[start : start + length]
        if not 0 < length == len(jpeg) or phase >= len(_PHASES):
            raise ValueError("a frame is empty, ends early, or has no such phase")
        frames.append(SentFrame(at_ms, _PHASES[phase], jpeg))
        start += length
    if not 1 <= len(frames) <= FRAMES_LIMIT:
        raise ValueError("no frames, or too many")
    return frames

"""Several pictures in one body, ``application/vnd.thenar.frames``, with their times.

The answer to a challenge's step, or the frames of an attempt: at most ``ATTEMPT_FRAMES`` of one
palm, best first; their times and phases do not count.

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
"""Longest body with the frames of a step."""

FRAMES_LIMIT: Final = 5
"""Most frames of a step."""

ATTEMPT_FRAMES: Final = 3
"""Most pictures or templates of one attempt: every comparison raises the threshold."""

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


def write_attempt(pictures: Sequence[bytes]) -> bytes:
    """Return the body with the pictures of one attempt."""
    return write_frames([SentFrame(0, Phase.OPEN, each) for each in pictures])


def read_frames(body: bytes, most: int = FRAMES_LIMIT) -> list[SentFrame]:
    """Parse a body with at most so many frames.

    Raises:
        ValueError: it has no frames, too many, or is malformed.
    """
    frames: list[SentFrame] = []
    start = 0
    while start < len(body) and len(frames) <= most:
        if len(body) < start + _HEAD.size:
            raise ValueError("a frame ends early")
        at_ms, phase, length = _HEAD.unpack_from(body, start)
        start += _HEAD.size
        jpeg = body[start : start + length]
        if not 0 < length == len(jpeg) or phase >= len(_PHASES):
            raise ValueError("a frame is empty, ends early, or has no such phase")
        frames.append(SentFrame(at_ms, _PHASES[phase], jpeg))
        start += length
    if not 1 <= len(frames) <= most:
        raise ValueError("no frames, or too many")
    return frames

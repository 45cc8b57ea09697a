"""A session of a challenge: its frames become observations, and these a verdict.

A detector reduces each frame at once to an ``Observation`` without pixels, which may wait for
the others as bytes, encrypted by the service. Parts and scores are for the operator alone.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.comparison.compare import compare
from engine.presentation_attack.challenge import Challenge
from engine.template_codec import decode_template, encode_template
from engine.types import Hand, PalmSample, PalmTemplate


class Phase(StrEnum):
    """The part of a step that a frame shows, as the phone says; never evidence by itself."""

    OPEN = "open"
    MOVED = "moved"
    BACK = "back"
    TILTED = "tilted"


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture of a step.

    Attributes:
        at_s: since the phone received the step.
    """

    sample: PalmSample
    at_s: float
    phase: Phase


@dataclass(frozen=True, slots=True)
class Observation:
    """The measurements of one frame, without its pixels.

    Attributes:
        size: width and height, pixels.
        digest: of the pixels: a frame that is sent twice is found.
        hands: how many hands were seen.
        hand: None if none was found; then ``points`` is zero.
        points: shape (21, 2), float32, pixels, as ``PalmLandmarks.points``.
        presence: probability of a hand.
        templates: one of each extractor; empty if the palm gave none.
        quality: of the template, 0 to 100.
        colour: shape (3,), float32, linear RGB, mean of the palm; NaN without a hand.
        traces: shape (n,), float32, the detector's measures of screens and prints.
        look: shape (m,), float32, the detector's description of the background.
    """

    at_s: float
    phase: Phase
    size: tuple[int, int]
    digest: bytes = field(repr=False)
    hands: int = 0
    hand: Hand | None = None
    points: NDArray[np.float32] = field(
        repr=False, default_factory=lambda: np.zeros((21, 2), np.float32)
    )
    presence: float = 0.0
    templates: tuple[PalmTemplate, ...] = field(repr=False, default=())
    quality: int = 0
    colour: NDArray[np.float32] = field(
        repr=False, default_factory=lambda: np.full(3, np.nan, np.float32)
    )
    traces: NDArray[np.float32] = field(
        repr=False, default_factory=lambda: np.zeros(0, np.float32)
    )
    look: NDArray[np.float32] = field(
        repr=False, default_factory=lambda: np.zeros(0, np.float32)
    )

    def to_bytes(self) -> bytes:
        """Return it as bytes, to be encrypted."""
        content = {
            "at_s": self.at_s,
            "phase": self.phase,
            "size": self.size,
            "digest": self.digest.hex(),
            "hands": self.hands,
            "hand": self.hand,
            "presence": self.presence,
            "quality": self.quality,
            "templates": [_text(encode_template(one, as_probe=True)) for one in self.templates],
            **{name: _text(_array_bytes(getattr(self, name))) for name in _ARRAYS},
        }
        return json.dumps(content).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> Observation:
        """Read what ``to_bytes`` wrote; decryption has checked that nothing changed."""
        content = json.loads(data)
        return cls(
            at_s=content["at_s"],
            phase=Phase(content["phase"]),
            size=(content["size"][0], content["size"][1]),
            digest=bytes.fromhex(content["digest"]),
            hands=content["hands"],
            hand=None if content["hand"] is None else Hand(content["hand"]),
            points=_array(content["points"], (21, 2)),
            presence=content["presence"],
            templates=tuple(
                decode_template(base64.b64decode(one)) for one in content["templates"]
            ),
            quality=content["quality"],
            colour=_array(content["colour"], (3,)),
            traces=_array(content["traces"], (-1,)),
            look=_array(content["look"], (-1,)),
        )


class Outcome(StrEnum):
    """The decision of a detector about a session."""

    BONA_FIDE = "bona_fide"
    ATTACK = "attack"
    CANNOT_TELL = "cannot_tell"


class Reason(StrEnum):
    """Why a session is not bona fide: one for each kind of bad input and each detector."""

    NO_FRAMES = "no_frames"
    TOO_FEW = "too_few"
    TOO_MANY = "too_many"
    ORDER = "order"
    TIMES = "times"
    REPEATED = "repeated"
    TWO_CAMERAS = "two_cameras"
    NO_HAND = "no_hand"
    TWO_HANDS = "two_hands"
    TWO_PEOPLE = "two_people"
    SWAPPED = "swapped"
    UNUSABLE = "unusable"
    NOT_IN_PLACE = "not_in_place"
    NOT_FOLLOWED = "not_followed"
    TOO_LATE = "too_late"
    RIGID = "rigid"
    BACKGROUND = "background"
    FLAT = "flat"
    TRACES = "traces"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement of a session.

    Attributes:
        reason: None if bona fide.
        score: 0 to 1, higher is more like a living palm; bona fide from 0.5.
        parts: the detectors' own numbers, by name.
    """

    outcome: Outcome
    reason: Reason | None = None
    score: float = field(repr=False, default=0.0)
    parts: Mapping[str, float] = field(repr=False, default_factory=dict)


class SessionDetector(Protocol):
    """Presentation attack detection on a session. Thread-safe."""

    def observe(self, frame: Frame, previous: Observation | None = None) -> Observation:
        """Reduce a frame, given the one before it; never raises for its content."""
        ...

    def judge(
        self,
        challenge: Challenge,
        steps: Sequence[Sequence[Observation]],
        answered_s: Sequence[float] | None = None,
    ) -> Verdict:
        """Judge a session; ``answered_s``: from sending each step to receiving its frames."""
        ...


def open_templates(steps: Sequence[Sequence[Observation]]) -> list[tuple[PalmTemplate, ...]]:
    """Return the templates of the open hands, one of each extractor.

    First is who is most like all others: what is slipped among them is last.
    """
    seen = [one for step in steps for one in step if one.phase in _OPEN and one.templates]
    palms = [one.templates[0] for one in seen]
    likeness = [sum(compare(palm, other) for other in palms) for palm in palms]
    order = sorted(range(len(seen)), key=lambda at: (-likeness[at], -seen[at].quality))
    return [seen[at].templates for at in order]


_OPEN = (Phase.OPEN, Phase.BACK)
_ARRAYS = ("points", "colour", "traces", "look")


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _array_bytes(values: NDArray[np.float32]) -> bytes:
    return values.astype("<f4").tobytes()


def _array(text: str, shape: tuple[int, ...]) -> NDArray[np.float32]:
    flat = np.frombuffer(base64.b64decode(text), "<f4").astype(np.float32)
    return flat.reshape(shape)

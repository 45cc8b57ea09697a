"""Challenges without a camera: frames that say what they show, and a detector that reads them.

The frames are real JPEG files that go through the real decoder; the grey levels of four blocks
name person, hand, shot and motion.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np

from engine.presentation_attack.challenge import Challenge, Motion
from engine.presentation_attack.session import (
    Frame,
    Observation,
    Outcome,
    Phase,
    Reason,
    Verdict,
)
from engine.types import Hand, PalmTemplate
from mobile_api.frames import SentFrame
from mobile_api.messages import StepMessage
from tests.support.clock import FakeClock
from tests.support.palms.fake_engine import template

BLOCK_PX = 32
LEVELS = 16
MOTIONS = [None, *Motion]
NO_HAND = 15
"""Shown instead of a hand: an empty picture."""


def frame(person: int, hand: Hand, shot: int, motion: Motion | None = None) -> bytes:
    """Return a JPEG of a palm; person and shot are below 16."""
    values = [person, hand is Hand.RIGHT, shot, MOTIONS.index(motion)]
    grey = np.repeat(np.array(values, np.uint8) * LEVELS + LEVELS // 2, BLOCK_PX)
    pixels = np.tile(grey, (BLOCK_PX, 1))
    done, data = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, 95])
    assert done
    return data.tobytes()


def hand_of(
    person: int, clock: FakeClock, hand: Hand = Hand.RIGHT
) -> Callable[[StepMessage], Sequence[SentFrame]]:
    """Return how a person follows each step, in two seconds."""

    def show(step: StepMessage) -> Sequence[SentFrame]:
        clock.advance(2)
        first = 3 * step.number
        return [
            SentFrame(200, Phase.OPEN, frame(person, hand, first)),
            SentFrame(900, Phase.MOVED, frame(person, hand, first, step.motion)),
            SentFrame(1800, Phase.BACK, frame(person, hand, first + 1)),
        ]

    return show


@dataclass
class FakeDetector:
    """Passes who shows the motions; ``refusal`` overrides that.

    Attributes:
        each: the templates of every extractor, of the first one's.
    """

    refusal: tuple[Outcome, Reason] | None = None
    each: Callable[[PalmTemplate], tuple[PalmTemplate, ...]] = lambda one: (one,)
    judged: list[Sequence[Sequence[Observation]]] = field(default_factory=list)

    def observe(self, frame: Frame, previous: Observation | None = None) -> Observation:
        """Read the blocks."""
        pixels = frame.sample.pixels[:, :, 0]
        middles = pixels[BLOCK_PX // 2, BLOCK_PX // 2 :: BLOCK_PX]
        person, side, shot, motion = (int(level) // LEVELS for level in middles)
        hand = Hand.RIGHT if side else Hand.LEFT
        is_open = not motion and person != NO_HAND
        return Observation(
            at_s=frame.at_s,
            phase=frame.phase,
            size=(pixels.shape[1], pixels.shape[0]),
            digest=hashlib.sha256(pixels.tobytes()).digest(),
            hands=int(person != NO_HAND),
            hand=None if person == NO_HAND else hand,
            templates=self.each(template(person, hand, shot)) if is_open else (),
            quality=80 - shot,
            traces=np.array([motion], np.float32),
        )

    def judge(
        self,
        challenge: Challenge,
        steps: Sequence[Sequence[Observation]],
        answered_s: Sequence[float] | None = None,
    ) -> Verdict:
        """Compare the motions."""
        self.judged.append(steps)
        if self.refusal is not None:
            return Verdict(*self.refusal)
        shown = [
            MOTIONS[int(one.traces[0])]
            for step in steps
            for one in step
            if one.phase is Phase.MOVED
        ]
        if shown != [step.motion for step in challenge.steps]:
            return Verdict(Outcome.ATTACK, Reason.NOT_FOLLOWED)
        return Verdict(Outcome.BONA_FIDE, score=1.0)

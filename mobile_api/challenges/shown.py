"""What a phone shows of a palm, and what the frames of a challenge show."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from engine.containers import Container
from engine.decode import decode_sample, read_container
from engine.errors import SampleTooLarge, SampleUnreadable
from engine.presentation_attack.session import (
    Frame,
    Observation,
    Outcome,
    Reason,
    SessionDetector,
    Verdict,
    open_templates,
)
from engine.types import Hand, PalmSample
from mobile_api.challenges.encryption import Progress
from mobile_api.errors import ChallengeFailed
from mobile_api.frames import SentFrame
from mobile_api.types import CapturedPalm, ChallengeFailure, ChallengeId, Purpose


@dataclass(frozen=True, slots=True)
class ShownPictures:
    """Pictures of one palm, best first."""

    images: Sequence[bytes] = field(repr=False)


@dataclass(frozen=True, slots=True)
class ShownTemplates:
    """Templates of one palm that the phone made, one after the other."""

    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class ShownChallenge:
    """A challenge that was passed for this purpose; ``attempt_id``: of the login."""

    challenge_id: ChallengeId
    purpose: Purpose
    attempt_id: str = ""


Shown = ShownPictures | ShownTemplates | ShownChallenge
"""What a phone shows of a palm: it is read after the attempt is charged."""

MAX_SIDE_PX: Final = 960
"""Longest side of a frame: five are decoded for one request."""


def observe_step(
    detector: SessionDetector, frames: Sequence[SentFrame], previous: Observation | None
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


_FAILURES: Final = {
    Reason.TOO_LATE: ChallengeFailure.TOO_LATE,
    Reason.NO_HAND: ChallengeFailure.NOT_ONE_HAND,
    Reason.TWO_HANDS: ChallengeFailure.NOT_ONE_HAND,
    Reason.NOT_IN_PLACE: ChallengeFailure.NOT_FOLLOWED,
    Reason.TOO_FEW: ChallengeFailure.NOT_FOLLOWED,
}
"""The failure sent to a phone, never which detector refused: others are ``NOT_FOLLOWED``."""


def shown_palms(verdict: Verdict, progress: Progress, hand: Hand | None) -> list[CapturedPalm]:
    """Return views of the palm in a judged challenge, best first, of one hand alone.

    Raises ChallengeFailed.
    """
    if verdict.outcome is not Outcome.BONA_FIDE:
        raise ChallengeFailed(_failure(verdict))
    palms = _palms(progress.steps, hand)
    if not palms:
        raise ChallengeFailed(ChallengeFailure.NOT_ONE_HAND)
    return palms


def _palms(steps: Sequence[Sequence[Observation]], hand: Hand | None) -> list[CapturedPalm]:
    """Return the best view of the open palm in each step, the best of all first.

    An enrolment takes all, other requests three. None of both hands or of the wrong one.
    """
    ranked = open_templates(steps)
    hands = {templates[0].hand for templates in ranked}
    if len(hands) != 1 or hand not in (None, *hands):
        return []
    best = {id(templates) for step in steps for templates in open_templates([step])[:1]}
    return [CapturedPalm.of(templates) for templates in ranked if id(templates) in best]


def _failure(verdict: Verdict) -> ChallengeFailure:
    if verdict.reason in _FAILURES:
        return _FAILURES[verdict.reason]
    if verdict.outcome is Outcome.CANNOT_TELL:
        return ChallengeFailure.CANNOT_TELL
    return ChallengeFailure.NOT_FOLLOWED

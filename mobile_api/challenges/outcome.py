"""The result of a judged challenge: palms, or one of four reasons that help no attacker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.presentation_attack.session import (
    Observation,
    Outcome,
    Reason,
    Verdict,
    open_templates,
)
from engine.types import Hand
from mobile_api.challenges.encryption import Progress
from mobile_api.errors import ChallengeFailed
from mobile_api.types import CapturedPalm, ChallengeFailure

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

    An enrolment takes all, other requests the first. None of both hands or of the wrong one.
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

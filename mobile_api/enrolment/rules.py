"""Rules for samples before they are enrolled. Pure functions of templates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Final

from engine.gallery.port import Gallery
from engine.types import Hand, PalmTemplate
from mobile_api.errors import (
    AlreadyEnrolled,
    PalmMismatch,
    SamplesDisagree,
    SamplesRepeat,
    TooFewSamples,
)
from mobile_api.gallery.template_encryption import group_of
from mobile_api.recognition.matcher import PalmMatcher, mirrored
from oidc.types import AccountId

SAMPLES_NEEDED: Final = 2
"""Of each palm; a single one could not be checked against another."""

Palms = Mapping[Hand, Sequence[PalmTemplate]]
"""Samples by hand; no hand without samples."""


def palms_of(samples: Sequence[PalmTemplate]) -> Palms:
    """Group samples by hand. Raises TooFewSamples."""
    palms = {hand: palm for hand in Hand if (palm := [s for s in samples if s.hand is hand])}
    if not palms or any(len(palm) < SAMPLES_NEEDED for palm in palms.values()):
        raise TooFewSamples(f"{SAMPLES_NEEDED} samples of each palm are needed")
    return palms


def require_new(
    sample: PalmTemplate, earlier: Sequence[PalmTemplate], matcher: PalmMatcher
) -> None:
    """Require a sample that copies no earlier one. Raises SamplesRepeat."""
    if matcher.repeats(sample, earlier):
        raise SamplesRepeat("this picture was sent before: move the hand a little")


def require_sound(palms: Palms, matcher: PalmMatcher) -> None:
    """Require one palm for each hand, and different palms for both.

    A mirrored picture must not make a second palm. Raises SamplesDisagree.
    """
    if not all(matcher.agree(palm) for palm in palms.values()):
        raise SamplesDisagree("the samples of a palm do not agree with each other")
    if len(palms) > 1 and matcher.are_one_palm(palms[Hand.LEFT], palms[Hand.RIGHT]):
        raise SamplesDisagree("the right palm and the left one are the same")


@dataclass(frozen=True, slots=True)
class ExtractorView:
    """One extractor's templates, and the gallery they are compared with.

    Attributes:
        unmatched: hands known to match nobody.
    """

    palms: Palms
    gallery: Gallery
    matcher: PalmMatcher
    unmatched: Set[Hand] = frozenset()

    def enrolled_hands(self, account: AccountId) -> set[Hand]:
        """Return the enrolled hands of an account."""
        return {ref.template.hand for ref in self.gallery.references_of(group_of(account))}

    def any_enrolled(self, hand: Hand) -> bool:
        """Tell whether a captured palm matches anybody, as it is or mirrored."""
        if hand in self.unmatched:
            return False
        palm = self.palms[hand]
        flipped = [mirrored(sample) for sample in palm]
        return any(
            self.matcher.any_enrolled(self.gallery, captured) for captured in (palm, flipped)
        )

    def belongs_to(self, account: AccountId, hand: Hand) -> bool:
        """Tell whether a captured palm matches this account."""
        return self.matcher.verify(self.gallery, self.palms[hand], account)


def new_palms(views: Sequence[ExtractorView], account: AccountId | None) -> Palms:
    """Return the palms to enrol; for an existing account those that it lacks.

    The current extractor's view comes first. Raises PalmMismatch or AlreadyEnrolled.
    """
    new = views[0].palms if account is None else _missing_palms(views, account)
    if any(view.any_enrolled(hand) for view in views for hand in new):
        raise AlreadyEnrolled("a palm is enrolled already")
    return new


def _missing_palms(views: Sequence[ExtractorView], account: AccountId) -> Palms:
    palms = views[0].palms
    enrolled = set[Hand]().union(*(view.enrolled_hands(account) for view in views))
    captured = [hand for hand in palms if hand in enrolled]
    if not captured or not all(
        any(view.belongs_to(account, hand) for view in views) for hand in captured
    ):
        raise PalmMismatch("this is not a palm of the phone's account")
    lacking = {hand: palm for hand, palm in palms.items() if hand not in enrolled}
    if not lacking:
        raise AlreadyEnrolled("these palms are enrolled already")
    return lacking

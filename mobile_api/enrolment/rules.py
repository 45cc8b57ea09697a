"""Rules for samples before they are enrolled. Pure functions of templates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Final

from engine.gallery.port import Gallery
from engine.types import Hand, PalmTemplate
from mobile_api.errors import (
    AlreadyEnrolled,
    OnePalmTwice,
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


def agreeing(samples: Sequence[PalmTemplate], matcher: PalmMatcher) -> list[int]:
    """Return which samples show one palm: of each hand the most that match each other."""
    kept: list[int] = []
    for hand in Hand:
        its = [number for number, sample in enumerate(samples) if sample.hand is hand]
        kept += [its[n] for n in matcher.agreeing([samples[number] for number in its])]
    return kept


def require_enough(samples: Sequence[PalmTemplate], kept: Sequence[int]) -> None:
    """Require enough samples of each palm that was shown, and that enough of them agree.

    Raises TooFewSamples or SamplesDisagree: others may be added.
    """
    if not samples or _least(samples) < SAMPLES_NEEDED:
        raise TooFewSamples(f"{SAMPLES_NEEDED} samples of each palm are needed")
    if _least([samples[number] for number in kept]) < SAMPLES_NEEDED:
        raise SamplesDisagree("too few samples of a palm match each other: add others")


def palms_of(samples: Sequence[PalmTemplate]) -> Palms:
    """Group samples by hand."""
    return {hand: palm for hand in Hand if (palm := [s for s in samples if s.hand is hand])}


def _least(samples: Sequence[PalmTemplate]) -> int:
    return min(len(palm) for palm in palms_of(samples).values())


def require_new(
    sample: PalmTemplate, earlier: Sequence[PalmTemplate], matcher: PalmMatcher
) -> None:
    """Require a sample that copies no earlier one. Raises SamplesRepeat."""
    if matcher.repeats(sample, earlier):
        raise SamplesRepeat("this picture was sent before: move the hand a little")


def require_two_palms(palms: Palms, matcher: PalmMatcher) -> None:
    """Require different palms of both hands: a mirrored picture must not make a second one.

    Raises OnePalmTwice.
    """
    if len(palms) > 1 and matcher.are_one_palm(palms[Hand.LEFT], palms[Hand.RIGHT]):
        raise OnePalmTwice("the right palm and the left one are the same")


@dataclass(frozen=True, slots=True)
class ExtractorView:
    """One extractor's templates, and the gallery they are compared with.

    Attributes:
        unmatched: hands known to match no account.
    """

    palms: Palms
    gallery: Gallery
    matcher: PalmMatcher
    unmatched: Set[Hand] = frozenset()

    def enrolled_hands(self, account: AccountId) -> set[Hand]:
        """Return the enrolled hands of an account."""
        return {ref.template.hand for ref in self.gallery.references_of(group_of(account))}

    def any_enrolled(self, hand: Hand, own: AccountId | None) -> bool:
        """Return whether a captured palm matches another account, as it is or mirrored."""
        return hand not in self.unmatched and not self.holders(hand).keys() <= {own}

    def holders(self, hand: Hand) -> dict[AccountId, Hand]:
        """Return the accounts of a captured palm, each with the hand as which it has it."""
        palm = self.palms[hand]
        flipped = [mirrored(sample) for sample in palm]
        return {
            account: samples[0].hand
            for samples in (flipped, palm)
            for account in self.matcher.holders(self.gallery, samples)
        }

    def belongs_to(self, account: AccountId, hand: Hand) -> bool:
        """Return whether a captured palm matches this account."""
        return self.matcher.verify(self.gallery, self.palms[hand], account)

    def is_strange_to(self, account: AccountId, hand: Hand) -> bool:
        """Return whether no sample of a captured palm matches this account, nor mirrored."""
        palm = self.palms[hand]
        both = [*palm, *(mirrored(sample) for sample in palm)]
        return not any(self.matcher.verify(self.gallery, [each], account) for each in both)


def new_palms(views: Sequence[ExtractorView], account: AccountId | None) -> Palms:
    """Return the palms to enrol; for an existing account those that it lacks.

    The current extractor's view comes first. Raises PalmMismatch or AlreadyEnrolled.
    """
    new = views[0].palms if account is None else _missing_palms(views, account)
    known = {hand for hand in new for view in views if view.any_enrolled(hand, account)}
    if known:
        raise AlreadyEnrolled("a palm is enrolled already", known)
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
        raise AlreadyEnrolled("these palms are enrolled already", set(palms))
    return lacking

"""The conditions of an enrolment: the consent text, the samples, and what a dispute needs.

Rules for samples are pure functions of templates; the consent text has a version and a digest
in every language. The last function finds the one account that holds a palm which another
person tries to enrol. From then on the palm signs in only on phones that the account trusts. A
person who shows it beside another one than the account has is not its holder, or its holder is
not its owner: then it does not let a new phone ask for trust. Else its owner may have forgotten
it.
"""

import hashlib
import hmac
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final

import numpy as np

from engine.gallery.port import Gallery
from engine.types import Hand, PalmTemplate
from mobile_api.codes import digest_of, new_code
from mobile_api.devices import tell_trusted
from mobile_api.errors import (
    AlreadyEnrolled,
    ConsentChanged,
    OnePalmTwice,
    PalmMismatch,
    SamplesDisagree,
    SamplesRepeat,
    SettingsFault,
    TooFewSamples,
)
from mobile_api.gallery.template_encryption import group_of
from mobile_api.recognition.matcher import PalmMatcher, mirrored
from mobile_api.settings import MobileSettings
from mobile_api.storage.database import Transaction
from mobile_api.storage.stores.account_codes import Dispute
from mobile_api.storage.stores.references import ConsentGiven
from mobile_api.types import CapturedPalm, Clock, DeviceId, NoticeKind
from oidc.types import AccountId


@dataclass(frozen=True, slots=True)
class Consent:
    """The text that a person agrees to; ``sha256`` is of its UTF-8, lower-case hexadecimal."""

    version: str
    language: str
    text: str = field(repr=False)
    sha256: str
    support_email: str


SHIPPED: Final = Path(__file__).with_name("consent_texts")

DEFAULT_LANGUAGE: Final = "en"
"""Shown where there is no text in the wanted language. RFC 5646."""


def load_consents(settings: MobileSettings) -> Mapping[str, Consent]:
    """Return the current texts by language, with the contact address filled in.

    Raises SettingsFault.
    """
    place = settings.consent_file or SHIPPED
    files = {path.stem: path for path in sorted(place.glob("*.txt"))}
    texts = {
        language: _load(file, language, settings)
        for language, file in (files or {DEFAULT_LANGUAGE: place}).items()
    }
    if DEFAULT_LANGUAGE not in texts:
        raise SettingsFault(f"the folder of consent texts has no {DEFAULT_LANGUAGE}.txt")
    return texts


def _load(file: Path, language: str, settings: MobileSettings) -> Consent:
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        raise SettingsFault(f"the consent text {file} cannot be read") from fault
    text = text.replace("{support_email}", settings.support_email)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Consent(settings.consent_version, language, text, digest, settings.support_email)


def text_in(consents: Mapping[str, Consent], language: str) -> Consent:
    """Return the text in a language, or in the default one."""
    return consents.get(language, consents[DEFAULT_LANGUAGE])


def accept(
    consents: Mapping[str, Consent], version: str, sha256: str, clock: Clock
) -> ConsentGiven:
    """Return the consent given, with its language, if it was given to a current text.

    Raises ConsentChanged.
    """
    for consent in consents.values():
        if version == consent.version and hmac.compare_digest(sha256, consent.sha256):
            return ConsentGiven(version, sha256, consent.language, clock())
    raise ConsentChanged("the consent text has changed and must be shown again")


SAMPLES_NEEDED: Final = 2
"""Of each palm; a single one could not be checked against another."""

REFERENCES_KEPT: Final = 4
"""Of each palm: four chosen of eight missed as few of phones-dev as all eight, 0.7 %."""

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


def stored_before(views: Sequence[CapturedPalm], earlier: Sequence[PalmTemplate]) -> int | None:
    """Return the number of the sample that the same request stored, if it is repeated."""
    return next(
        (n for n, old in enumerate(earlier) if any(_is_same(old, v) for v in views)), None
    )


def _is_same(old: PalmTemplate, view: CapturedPalm) -> bool:
    new = view.template
    same_code = np.array_equal(old.code, new.code)
    return same_code and np.allclose(old.vector, new.vector, rtol=0, atol=1e-6)


def new_views(
    views: Sequence[CapturedPalm], earlier: Sequence[PalmTemplate], matcher: PalmMatcher
) -> list[CapturedPalm]:
    """Return the views that copy no earlier sample, nor each other. Raises SamplesRepeat."""
    new: list[CapturedPalm] = []
    for view in views:
        if not matcher.repeats(view.template, [*earlier, *(each.template for each in new)]):
            new.append(view)
    if not new:
        raise SamplesRepeat("this picture was sent before: move the hand a little")
    return new


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


@dataclass(frozen=True, slots=True)
class Refused:
    """Why palms are not enrolled.

    Attributes:
        known: the hands of palms that an account has already.
    """

    error: type[AlreadyEnrolled | OnePalmTwice | PalmMismatch]
    reason: str
    known: Set[Hand] = frozenset()


def decide(views: Sequence[ExtractorView], account: AccountId | None) -> Palms | Refused:
    """Return the palms to enrol; for an existing account those that it lacks.

    The current extractor's view comes first. A mirrored picture must not make a second palm.
    """
    palms, matcher = views[0].palms, views[0].matcher
    if len(palms) > 1 and matcher.are_one_palm(palms[Hand.LEFT], palms[Hand.RIGHT]):
        return Refused(OnePalmTwice, "the right palm and the left one are the same")
    new = palms if account is None else _missing_palms(views, account)
    if isinstance(new, Refused):
        return new
    known = {hand for hand in new for view in views if view.any_enrolled(hand, account)}
    return Refused(AlreadyEnrolled, "a palm is enrolled already", known) if known else new


def _missing_palms(views: Sequence[ExtractorView], account: AccountId) -> Palms | Refused:
    palms = views[0].palms
    enrolled = set[Hand]().union(*(view.enrolled_hands(account) for view in views))
    captured = [hand for hand in palms if hand in enrolled]
    if not captured or not all(
        any(view.belongs_to(account, hand) for view in views) for hand in captured
    ):
        return Refused(PalmMismatch, "this is not a palm of the phone's account")
    lacking = {hand: palm for hand, palm in palms.items() if hand not in enrolled}
    if not lacking:
        return Refused(AlreadyEnrolled, "these palms are enrolled already", set(palms))
    return lacking


def find_dispute(
    views: Sequence[ExtractorView], own: AccountId | None, claimant: DeviceId, now: datetime
) -> Dispute | None:
    """Return the dispute of the first captured palm that exactly one other account holds."""
    for hand in views[0].palms:
        held = {who: as_hand for view in views for who, as_hand in view.holders(hand).items()}
        if len(held) == 1 and own not in held:
            ((account, as_hand),) = held.items()
            has_both = any(as_hand.other in view.enrolled_hands(account) for view in views)
            is_contrary = has_both and _shows_another(views, account, hand.other)
            return Dispute(account, as_hand, claimant, is_contrary, now)
    return None


def open_dispute(transaction: Transaction, dispute: Dispute) -> str:
    """Save a dispute, tell the account's trusted phones of the first; return its new code."""
    code = new_code()
    if not transaction.disputes.has_any(dispute.account, dispute.hand):
        tell_trusted(transaction, dispute.account, NoticeKind.PALM_DISPUTED, dispute.opened_at)
    transaction.disputes.add(digest_of("dispute", code), dispute)
    return code


def _shows_another(views: Sequence[ExtractorView], account: AccountId, hand: Hand) -> bool:
    """Return whether a captured palm of this hand is not the account's."""
    return all(hand in view.palms and view.is_strange_to(account, hand) for view in views)

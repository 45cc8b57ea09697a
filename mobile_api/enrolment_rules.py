"""What samples must be before they are enrolled. Pure: templates in, verdicts out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from engine.gallery.port import Gallery
from engine.types import Hand, PalmTemplate
from mobile_api.errors import AlreadyEnrolled, PalmMismatch, SamplesDisagree, TooFewSamples
from mobile_api.recognition import Recogniser, mirrored
from mobile_api.vault import group_of
from oidc.types import AccountId

SAMPLES_NEEDED: Final = 2
"""Of each palm that is to be enrolled: one sample agrees with nothing."""

Palms = Mapping[Hand, Sequence[PalmTemplate]]
"""The samples of each side; no side without samples."""


def palms_of(samples: Sequence[PalmTemplate]) -> Palms:
    """Sort samples by side.

    Raises:
        TooFewSamples: there is no palm, or one with a single sample.
    """
    palms = {hand: palm for hand in Hand if (palm := [s for s in samples if s.hand is hand])}
    if not palms or any(len(palm) < SAMPLES_NEEDED for palm in palms.values()):
        raise TooFewSamples(f"{SAMPLES_NEEDED} samples of each palm are needed")
    return palms


def require_sound(palms: Palms, recogniser: Recogniser) -> None:
    """Want one palm on each side, and not the same one on both.

    Raises:
        SamplesDisagree: samples of a side do not hang together, or the right palm is the left
            one: a flipped picture must not make a second palm.
    """
    if not all(recogniser.agree(palm) for palm in palms.values()):
        raise SamplesDisagree("the samples of a palm do not agree with each other")
    if len(palms) > 1 and recogniser.are_one_palm(palms[Hand.LEFT], palms[Hand.RIGHT]):
        raise SamplesDisagree("the right palm and the left one are the same")


def new_palms(
    palms: Palms, account: AccountId | None, gallery: Gallery, recogniser: Recogniser
) -> Palms:
    """Return the palms that are to be enrolled: of this account's own, those it lacks.

    Raises:
        PalmMismatch: the device belongs to an account, and no palm, or a wrong one, is its.
        AlreadyEnrolled: a palm that would be new is somebody's, or nothing is new.
    """
    new = palms if account is None else _lacking(palms, account, gallery, recogniser)
    for palm in new.values():
        flipped = [mirrored(sample) for sample in palm]
        if any(recogniser.is_somebodys(gallery, shown) for shown in (palm, flipped)):
            raise AlreadyEnrolled("a palm is enrolled already")
    return new


def _lacking(
    palms: Palms, account: AccountId, gallery: Gallery, recogniser: Recogniser
) -> Palms:
    enrolled = {ref.template.hand for ref in gallery.references_of(group_of(account))}
    shown = [palm for hand, palm in palms.items() if hand in enrolled]
    if not shown or not all(recogniser.verify(gallery, palm, account) for palm in shown):
        raise PalmMismatch("the phone belongs to an account, and this is not its palm")
    lacking = {hand: palm for hand, palm in palms.items() if hand not in enrolled}
    if not lacking:
        raise AlreadyEnrolled("these palms are enrolled already")
    return lacking

"""Which palms an enrolment enrols: every case of account, palms shown, and their holders."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast
from uuid import UUID

import pytest

from engine.types import Hand, PalmTemplate
from mobile_api.enrolment.rules import ExtractorView, Refused, decide
from mobile_api.errors import AlreadyEnrolled, OnePalmTwice, PalmMismatch
from mobile_api.recognition.matcher import PalmMatcher, mirrored
from oidc.types import AccountId
from tests.support.palms.fake_engine import template
from tests.support.service.mobile_api import FakeThresholds

LEFT, RIGHT = Hand.LEFT, Hand.RIGHT
ADA, BOB = AccountId(UUID(int=1)), AccountId(UUID(int=2))
TWO = {hand: [template(1, hand)] for hand in Hand}
ONE_TWICE = {RIGHT: TWO[RIGHT], LEFT: [mirrored(TWO[RIGHT][0])]}


@dataclass
class View:
    """What an extractor finds: the palms shown, who holds each, and what Ada has enrolled."""

    palms: Mapping[Hand, Sequence[PalmTemplate]]
    holders: Mapping[Hand, AccountId]
    enrolled: set[Hand]
    matcher = PalmMatcher(FakeThresholds())

    def enrolled_hands(self, _account: AccountId) -> set[Hand]:
        """Return Ada's."""
        return self.enrolled

    def belongs_to(self, account: AccountId, hand: Hand) -> bool:
        """Return whether the account holds the palm."""
        return self.holders.get(hand) == account

    def any_enrolled(self, hand: Hand, own: AccountId | None) -> bool:
        """Return whether another account holds the palm."""
        return self.holders.get(hand) not in (None, own)


def only(hand: Hand) -> dict[Hand, list[PalmTemplate]]:
    """Return one palm."""
    return {hand: TWO[hand]}


CASES: list[tuple[Any, ...]] = [
    # account, palms shown, who holds each, what Ada has → enrolled, or refused with known hands
    (None, only(RIGHT), {}, set(), {RIGHT}),
    (None, TWO, {}, set(), {LEFT, RIGHT}),
    (None, ONE_TWICE, {}, set(), (OnePalmTwice, set())),
    (None, TWO, {LEFT: BOB}, set(), (AlreadyEnrolled, {LEFT})),
    (None, TWO, {LEFT: BOB, RIGHT: ADA}, set(), (AlreadyEnrolled, {LEFT, RIGHT})),
    (ADA, TWO, {LEFT: ADA}, {LEFT}, {RIGHT}),
    (ADA, TWO, {LEFT: ADA, RIGHT: BOB}, {LEFT}, (AlreadyEnrolled, {RIGHT})),
    (ADA, TWO, {LEFT: BOB}, {LEFT}, (PalmMismatch, set())),
    (ADA, only(RIGHT), {}, {LEFT}, (PalmMismatch, set())),
    (ADA, only(LEFT), {LEFT: ADA}, {LEFT}, (AlreadyEnrolled, {LEFT})),
    (ADA, TWO, {LEFT: ADA, RIGHT: ADA}, {LEFT, RIGHT}, (AlreadyEnrolled, {LEFT, RIGHT})),
]


@pytest.mark.parametrize(("account", "palms", "holders", "enrolled", "expected"), CASES)
def test_what_an_enrolment_enrols(
    account: AccountId | None,
    palms: Mapping[Hand, Sequence[PalmTemplate]],
    holders: Mapping[Hand, AccountId],
    enrolled: set[Hand],
    expected: object,
) -> None:
    """A new account gets palms of no account, an existing one the palm that it lacks."""
    view = cast("ExtractorView", View(palms, holders, enrolled))
    decided = decide([view], account)

    if isinstance(decided, Refused):
        assert expected == (decided.error, decided.known)
    else:
        assert expected == set(decided)

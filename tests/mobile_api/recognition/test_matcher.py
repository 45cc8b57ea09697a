"""Comparisons become decisions, and nothing but decisions."""

from dataclasses import replace
from uuid import UUID

import numpy as np
import pytest

from engine.comparison.compare import compare
from engine.features.code_bytes import directions_of, pack_code
from engine.gallery.search.memory_gallery import MemoryGallery
from engine.types import Hand, Reference, ReferenceId
from mobile_api.gallery.template_encryption import group_of
from mobile_api.recognition.matcher import PalmMatcher, mirrored
from oidc.types import AccountId
from tests.engine.comparison.test_alignment import template as bent_template
from tests.support.palms.fake_engine import FAKE_DIMENSION, FAKE_EXTRACTOR, template

MAYA, OMAR = AccountId(UUID(int=1)), AccountId(UUID(int=2))


class RecordingThresholds:
    """Fixed thresholds that remember how many comparisons were requested."""

    def __init__(self, identification: float = 0.8) -> None:
        self.asked: list[int] = []
        self.verified: list[int] = []
        self._identification = identification

    def verification(self, comparisons: int = 1) -> float:
        """Between mated and non-mated scores of the fake engine."""
        self.verified.append(comparisons)
        return 0.75

    def identification(self, comparisons: int) -> float:
        """Give the threshold and remember for what."""
        self.asked.append(comparisons)
        return self._identification

    def margin(self) -> float:
        """Less than what tells two palms apart."""
        return 0.005


class JustAbove(RecordingThresholds):
    """Thresholds within reach of a plain score."""

    def verification(self, comparisons: int = 1) -> float:
        """As a search's."""
        return self._identification

    def margin(self) -> float:
        """As palmnet-3's."""
        return 0.0167


@pytest.fixture
def gallery() -> MemoryGallery:
    """Give a gallery: three right palms of Maya, one of Omar, one left palm of Maya."""
    gallery = MemoryGallery(FAKE_EXTRACTOR, FAKE_DIMENSION)
    enrolled = [(MAYA, 1, Hand.RIGHT, shot) for shot in range(3)]
    enrolled += [(OMAR, 2, Hand.RIGHT, 0), (MAYA, 1, Hand.LEFT, 0)]
    gallery.enrol(
        [
            Reference(ReferenceId(UUID(int=n)), group_of(account), template(person, hand, shot))
            for n, (account, person, hand, shot) in enumerate(enrolled)
        ]
    )
    return gallery


def test_verification_looks_at_the_claimed_account_only(gallery: MemoryGallery) -> None:
    """Omar's palm is in the gallery and still not Maya's."""
    matcher = PalmMatcher(RecordingThresholds())

    assert matcher.verify(gallery, [template(1, shot=9)], MAYA)
    assert not matcher.verify(gallery, [template(2, shot=9)], MAYA)
    assert not matcher.verify(gallery, [template(1, shot=9)], AccountId(UUID(int=3)))


@pytest.mark.parametrize("is_dense", [False, True])
def test_a_search_finds_a_bent_palm_as_a_claim_does(*, is_dense: bool) -> None:
    """Stations, new phones and the check for a second account search without a claim."""
    enrolled, probe = bent_template(0), bent_template(0, 1, bent=0.05)
    gallery = MemoryGallery(enrolled.extractor, enrolled.vector.size)
    gallery.enrol([Reference(ReferenceId(UUID(int=1)), group_of(MAYA), enrolled)])
    matcher = PalmMatcher(JustAbove(compare(probe, enrolled) + 0.01))
    shown = probe if is_dense else replace(probe, dense=None)

    assert matcher.identify(gallery, [shown]) == (MAYA if is_dense else None)
    assert matcher.holders(gallery, [shown]) == ({MAYA} if is_dense else set())
    assert matcher.is_enrolled(gallery, shown, 1) is is_dense
    assert matcher.verify(gallery, [shown], MAYA) is is_dense
    gallery.enrol([Reference(ReferenceId(UUID(int=2)), group_of(OMAR), enrolled)])
    assert not matcher.verify(gallery, [shown], MAYA), "the rival is laid over, too"


def test_a_template_that_is_like_two_accounts_verifies_as_neither(
    gallery: MemoryGallery,
) -> None:
    """A forger who knows real palms makes one that is near to all of them."""
    matcher = PalmMatcher(RecordingThresholds())
    probe = template(1, shot=9)
    twins = [template(1, shot=shot) for shot in range(3)]
    assert matcher.verify(gallery, [probe], MAYA)

    gallery.enrol(
        [
            Reference(ReferenceId(UUID(int=90 + n)), group_of(OMAR), twin)
            for n, twin in enumerate(twins)
        ]
    )

    assert not matcher.verify(gallery, [probe], MAYA)
    assert not matcher.verify(gallery, [probe], OMAR)


def test_a_verification_is_stricter_the_more_references_there_are(
    gallery: MemoryGallery,
) -> None:
    """The best of many comparisons is higher than one, for non-mated palms, too."""
    thresholds = RecordingThresholds()
    matcher = PalmMatcher(thresholds)
    matcher.verify(gallery, [template(1, shot=9)], MAYA)
    matcher.verify(gallery, [template(1, shot=9), template(1, shot=8)], MAYA)
    matcher.verify(gallery, [template(1, Hand.LEFT, 9)], MAYA)
    matcher.verify(gallery, [template(1, Hand.LEFT, 9)], OMAR)

    assert thresholds.verified == [3, 6, 1, 1]


def test_the_threshold_rises_with_rows_of_that_side_times_samples(
    gallery: MemoryGallery,
) -> None:
    """The operator's rate is per search, not per comparison."""
    thresholds = RecordingThresholds()
    matcher = PalmMatcher(thresholds)
    matcher.identify(gallery, [template(1, shot=9)])
    matcher.identify(gallery, [template(1, shot=9), template(1, shot=8)])
    matcher.identify(gallery, [template(1, Hand.LEFT, 9)])

    assert thresholds.asked == [4, 8, 1]


def test_a_score_below_the_threshold_names_no_account(gallery: MemoryGallery) -> None:
    """The best candidate is not enough."""
    probes = [template(1, shot=9)]

    assert PalmMatcher(RecordingThresholds(0.8)).identify(gallery, probes) == MAYA
    assert PalmMatcher(RecordingThresholds(0.999)).identify(gallery, probes) is None


def test_samples_agree_when_each_matches_every_other() -> None:
    """Of others, as many are kept as all match each other; the earliest, if equally many."""
    matcher = PalmMatcher(RecordingThresholds())
    ones, others = ([template(p, shot=s) for s in range(4)] for p in (1, 2))

    assert matcher.agree(ones)
    assert not matcher.agree([*ones[:3], others[0]])
    assert matcher.agreeing([others[0], *ones[:3]]) == (1, 2, 3)
    assert matcher.agreeing([ones[0], others[0], ones[1], others[1]]) == (0, 2)
    assert matcher.agreeing([ones[0], others[0]]) == (0,)


def test_a_nearly_equal_sample_repeats_an_earlier_one_of_its_hand() -> None:
    """A copy, re-encoded, adds nothing to a palm's references; another picture does."""
    matcher = PalmMatcher(RecordingThresholds())
    first, other = template(1), template(1, shot=1)
    directions = directions_of(first.code).copy()
    directions[::8, ::8] = (directions[::8, ::8] + 1) % 6
    near = replace(first, code=pack_code(directions, np.ones((32, 32), np.bool_)))

    assert matcher.repeats(first, [other, first])
    assert matcher.repeats(near, [other, first])
    assert not matcher.repeats(first, [other, mirrored(first)])
    assert not matcher.repeats(first, [])


def test_a_palm_of_two_accounts_signs_in_to_neither_and_is_not_new(
    gallery: MemoryGallery,
) -> None:
    """Else the one would enter the other's account, or the palm would be enrolled once more."""
    twin = template(1, shot=0)
    gallery.enrol([Reference(ReferenceId(UUID(int=99)), group_of(OMAR), twin)])
    matcher = PalmMatcher(RecordingThresholds())

    assert matcher.identify(gallery, [twin]) is None
    assert matcher.holders(gallery, [twin]) == {MAYA, OMAR}
    assert not PalmMatcher(RecordingThresholds(1.5)).holders(gallery, [twin])


def test_one_sample_of_another_account_among_others_is_enough(gallery: MemoryGallery) -> None:
    """A mean over samples would let an attacker hide an enrolled palm in his own enrolment."""
    matcher = PalmMatcher(RecordingThresholds())
    outsiders = [template(7, shot=shot) for shot in range(7)]

    assert not matcher.holders(gallery, outsiders)
    assert matcher.holders(gallery, [*outsiders, template(1, shot=9)]) == {MAYA}

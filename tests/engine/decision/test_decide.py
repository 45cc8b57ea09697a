"""decide: the one place where a score becomes yes or no."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.comparison.compare import compare
from engine.decision.decide import decide_identification, decide_verification
from engine.errors import ExtractorMismatch
from engine.types import Candidate, ExtractorId, Hand, Match, NonMatch, NonMatchReason
from tests.support.palms.templates import (
    group_id,
    other_extractor,
    reference_id,
    reference_of,
    template_of,
)

MARGIN = 0.02

numbers = st.one_of(st.floats(0, 1), st.just(math.nan))


def candidate(number: int, score: float) -> Candidate:
    """A line of a candidate list."""
    return Candidate(reference_id(number), group_id(number), score)


def test_a_score_at_the_threshold_is_a_match():
    """FMR and FNMR were counted that way, so every comparison must."""
    assert decide_identification([candidate(1, 0.5)], 0.5, margin=MARGIN) == Match(
        reference_id(1), group_id(1)
    )
    below = math.nextafter(0.5, 0)
    assert decide_identification([candidate(1, below)], 0.5, margin=MARGIN) == NonMatch()


def test_an_empty_candidate_list_is_a_non_match():
    """The first login of all finds no reference."""
    assert decide_identification([], 0.0, margin=MARGIN) == NonMatch()


@pytest.mark.parametrize(
    ("score", "threshold"), [(math.nan, 0.5), (0.9, math.nan), (math.nan,) * 2]
)
def test_what_is_no_number_never_matches(score, threshold):
    """A broken score or threshold must fail closed."""
    assert decide_identification([candidate(1, score)], threshold, margin=MARGIN) == NonMatch()


@given(scores=st.lists(numbers, max_size=8), threshold=numbers)
def test_the_best_candidate_decides_whatever_the_order(scores, threshold):
    """Nothing depends on how a gallery sorts, not even among scores that are no numbers."""
    candidates = [candidate(number, score) for number, score in enumerate(scores)]

    decision = decide_identification(candidates, threshold, margin=0)

    assert {decision, decide_identification(candidates[::-1], threshold, margin=0)} <= {
        Match(c.reference_id, c.group_id)
        for c in candidates
        if c.score >= threshold and c.score == max(s for s in scores if not math.isnan(s))
    } | ({NonMatch()} if not any(s >= threshold for s in scores) else set())


@pytest.mark.parametrize("second", [0.75, 0.75 - 0.9 * MARGIN])
def test_two_groups_that_score_nearly_the_same_are_a_non_match(second):
    """One of them would sign in to the other's account; the reason is another one."""
    candidates = [candidate(1, 0.75), candidate(2, second), candidate(3, math.nan)]

    for order in (candidates, candidates[::-1]):
        decision = decide_identification(order, 0.5, margin=MARGIN)
        assert decision == NonMatch(NonMatchReason.TOO_CLOSE)
    assert NonMatch().reason is NonMatchReason.BELOW_THRESHOLD
    assert decide_identification(candidates, 0.8, margin=MARGIN) == NonMatch()


def test_a_second_group_far_enough_or_of_the_same_palm_does_no_harm():
    """Several references of one group are close to each other, as they should be."""
    best = candidate(1, 0.75)
    far = candidate(2, 0.75 - 1.1 * MARGIN)
    own = replace(candidate(3, 0.75), group_id=best.group_id)

    assert decide_identification([best, far, own], 0.5, margin=MARGIN) == Match(
        best.reference_id, best.group_id
    )


def test_verification_finds_the_claimed_palm_and_no_other():
    """One to one: the account was named, the palm has to be its own."""
    references = [reference_of(1, group=7), reference_of(2, group=7)]
    own, strange = template_of(7), template_of(8)
    threshold = (compare(own, own) + compare(strange, own)) / 2

    assert decide_verification([own, own], references, threshold) == Match(
        reference_id(1), group_id(7)
    )
    assert decide_verification([strange], references, threshold) == NonMatch()


def test_verification_is_inclusive():
    """The same rule as for identification."""
    own = template_of(7)
    references = [reference_of(1, group=7)]
    threshold = compare(own, own)

    assert decide_verification([own], references, threshold) != NonMatch()
    assert decide_verification([own], references, math.nextafter(threshold, 2)) == NonMatch()
    assert decide_verification([own], references, math.nan) == NonMatch()


def test_verification_passes_over_the_other_hand():
    """Left is never compared with right, not even if they belong to one person."""
    left = template_of(7)
    right = reference_of(1, group=7, hand=Hand.RIGHT)
    both = [right, reference_of(2, group=7)]

    assert decide_verification([left], [right], 0.0) == NonMatch()
    assert decide_verification([left], [], 0.0) == NonMatch()
    assert decide_verification([left], both, 0.0) == Match(reference_id(2), group_id(7))


def test_verification_refuses_what_makes_no_sense():
    """A mistake of the caller must not look like a decision."""
    own = template_of(7)
    references = [reference_of(1, group=7)]

    with pytest.raises(ValueError, match="one hand"):
        decide_verification([], references, 0.5)
    with pytest.raises(ValueError, match="one hand"):
        decide_verification([own, template_of(7, hand=Hand.RIGHT)], references, 0.5)
    with pytest.raises(ValueError, match="one group"):
        decide_verification([own], [*references, reference_of(2, group=8)], 0.5)
    with pytest.raises(ExtractorMismatch):
        decide_verification([other_extractor(own, ExtractorId("other-1"))], references, 0.5)


@pytest.mark.parametrize(("distance", "is_match"), [(0.9, False), (1.1, True)])
def test_verification_refuses_what_is_like_others_too(distance, is_match):
    """A template forged to be like everybody is like the claimed palm as well."""
    own = template_of(7)
    references = [reference_of(1, group=7)]
    others = [candidate(7, 1.0), candidate(8, compare(own, own) - distance * MARGIN)]

    decision = decide_verification([own], references, 0.5, others=others, margin=MARGIN)

    taken, refused = Match(reference_id(1), group_id(7)), NonMatch(NonMatchReason.TOO_CLOSE)
    assert decision == (taken if is_match else refused)

"""Decides whose palm a probe is. No comparison score leaves this module.

Verification compares with one account at ``target_fmr``, identification with the gallery at
``target_fpir``. Thresholds rise with the comparisons: references of that hand × probes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import assert_never

from engine.comparison.compare import compare, compare_many
from engine.decision.decide import decide_identification, decide_verification
from engine.gallery.port import Gallery
from engine.parameters import REPEAT_DEFICIT
from engine.types import Decision, Match, NonMatch, PalmTemplate, Reference
from mobile_api.gallery.template_encryption import account_of, group_of
from mobile_api.recognition.thresholds import Thresholds
from oidc.types import AccountId


class PalmMatcher:
    """Compares probes with references."""

    def __init__(self, thresholds: Thresholds) -> None:
        self._thresholds = thresholds

    def verify(
        self,
        gallery: Gallery,
        probes: Sequence[PalmTemplate],
        account: AccountId,
    ) -> bool:
        """Tell whether probes of one palm match this account, and no other account as well."""
        references = gallery.references_of(group_of(account))
        hand = probes[0].hand
        side = sum(reference.template.hand is hand for reference in references)
        threshold = self._thresholds.verification(max(1, side * len(probes)))
        decision = decide_verification(
            probes,
            references,
            threshold,
            others=gallery.search(probes),
            margin=self._thresholds.margin(),
        )
        return _account_in(decision) == account

    def identify(self, gallery: Gallery, probes: Sequence[PalmTemplate]) -> AccountId | None:
        """Return the account that probes of one palm match, None if they match none."""
        comparisons = gallery.row_count(probes[0].hand) * len(probes)
        return _account_in(self._search(gallery, probes, comparisons))

    def any_enrolled(self, gallery: Gallery, samples: Sequence[PalmTemplate]) -> bool:
        """Tell whether any sample matches any account.

        Each is searched alone: fusion could hide one palm among others. A palm that two
        accounts match equally well is not new, though it can log in to neither.
        """
        comparisons = gallery.row_count(samples[0].hand) * len(samples)
        return any(self.is_enrolled(gallery, each, comparisons) for each in samples)

    def holders(self, gallery: Gallery, samples: Sequence[PalmTemplate]) -> set[AccountId]:
        """Return every account that any sample matches, however close they are."""
        comparisons = gallery.row_count(samples[0].hand) * len(samples)
        if comparisons == 0:
            return set()
        threshold = self._thresholds.identification(comparisons)
        found = [each for sample in samples for each in gallery.search([sample])]
        return {account_of(each.group_id) for each in found if each.score >= threshold}

    def is_enrolled(self, gallery: Gallery, sample: PalmTemplate, comparisons: int) -> bool:
        """Tell whether a sample matches anybody, at the threshold for ``comparisons``."""
        if comparisons == 0:
            return False
        threshold = self._thresholds.identification(comparisons)
        return any(each.score >= threshold for each in gallery.search([sample]))

    def is_among(
        self, references: Sequence[Reference], sample: PalmTemplate, comparisons: int
    ) -> bool:
        """Tell whether a sample matches one of a few references, at the same threshold."""
        same_side = [each.template for each in references if each.template.hand is sample.hand]
        if not same_side:
            return False
        threshold = self._thresholds.identification(comparisons)
        return bool((compare_many(sample, same_side) >= threshold).any())

    def agree(self, samples: Sequence[PalmTemplate]) -> bool:
        """Tell whether every sample of one hand matches every other."""
        return all(self._is_same_palm(one, other) for one, other in combinations(samples, 2))

    def repeats(self, sample: PalmTemplate, earlier: Sequence[PalmTemplate]) -> bool:
        """Tell whether a sample is a copy of an earlier one of the same hand."""
        same_side = [each for each in earlier if each.hand is sample.hand]
        # A template's score with itself is below 1 if it is smooth or masked.
        own, *others = compare_many(sample, [sample, *same_side])
        return any(own - score <= REPEAT_DEFICIT for score in others)

    def are_one_palm(self, left: Sequence[PalmTemplate], right: Sequence[PalmTemplate]) -> bool:
        """Tell whether any right sample matches a left one, mirrored or relabelled.

        Both hands share one frame: a mirrored picture gives the other hand's template.
        """
        return any(self._is_same_palm(mirrored(one), other) for one in right for other in left)

    def _search(
        self, gallery: Gallery, probes: Sequence[PalmTemplate], comparisons: int
    ) -> Decision:
        if comparisons == 0:
            return NonMatch()
        threshold = self._thresholds.identification(comparisons)
        margin = self._thresholds.margin()
        return decide_identification(gallery.search(probes), threshold, margin=margin)

    def _is_same_palm(self, one: PalmTemplate, other: PalmTemplate) -> bool:
        return compare(one, other) >= self._thresholds.verification()


def mirrored(template: PalmTemplate) -> PalmTemplate:
    """Return the template that the mirrored picture would give."""
    return replace(template, hand=template.hand.other)


def _account_in(decision: Decision) -> AccountId | None:
    match decision:
        case Match(group_id=group_id):
            return account_of(group_id)
        case NonMatch():
            return None
        case _:
            assert_never(decision)

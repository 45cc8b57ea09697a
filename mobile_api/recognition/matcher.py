"""Decides whose palm a probe is. No comparison score leaves this module.

Verification compares with one account at ``target_fmr``, identification with the gallery at
``target_fpir``. Thresholds rise with the comparisons: references of that hand × probes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final, assert_never

import numpy as np

from engine.comparison.compare import compare, compare_many
from engine.decision.decide import decide_identification, decide_verification
from engine.gallery.near import laid_over
from engine.gallery.port import Gallery
from engine.parameters import REPEAT_DEFICIT
from engine.types import Candidate, Decision, Match, NonMatch, PalmTemplate, Reference
from mobile_api.gallery.template_encryption import account_of, group_of
from mobile_api.recognition.thresholds import (
    ALIKE_MARGINS,
    NEW_MARGINS,
    SURE_MARGINS,
    Thresholds,
)
from oidc.types import AccountId

OWN_HANDS: Final = 100
"""One person's hands are nearer than two people's: as strict as for the best of so many, 0.642.

The mean of their scores is at most 0.627 (163 people of the development sets). One palm's other
pictures have at least 0.655, in changing poses 0.621.
"""


@dataclass(frozen=True, slots=True)
class Recognised:
    """Which accounts a palm matches, by one search.

    Attributes:
        verified: the account that was claimed, compared as one claim; None: not that one.
        identified: the account that matches among all enrolled ones, at their threshold.
    """

    verified: AccountId | None
    identified: AccountId | None


class PalmMatcher:
    """Compares probes with references."""

    def __init__(self, thresholds: Thresholds) -> None:
        self._thresholds = thresholds

    def recognise(
        self,
        gallery: Gallery,
        probes: Sequence[PalmTemplate],
        claimed: AccountId | None,
        added: Sequence[Reference] = (),
    ) -> Recognised:
        """Search once for probes of one palm, for the account that the caller claims.

        ``added`` are references of it beside the gallery's; see M61.
        """
        candidates = gallery.search(probes)
        if claimed and self._is_of(gallery, probes, claimed, candidates, added):
            return Recognised(claimed, claimed)
        comparisons = gallery.row_count(probes[0].hand) * len(probes)
        if comparisons == 0:
            return Recognised(None, None)
        threshold = self._thresholds.identification(comparisons)
        margin = self._thresholds.margin()
        near = laid_over(candidates, probes, gallery, threshold, margin=margin)
        found = decide_identification(near, threshold, margin=margin)
        return Recognised(None, _account_in(found))

    def verify(
        self, gallery: Gallery, probes: Sequence[PalmTemplate], account: AccountId
    ) -> bool:
        """Return whether probes of one palm match this account, and no other as well."""
        return self._is_of(gallery, probes, account, gallery.search(probes))

    def identify(self, gallery: Gallery, probes: Sequence[PalmTemplate]) -> AccountId | None:
        """Return the account that probes of one palm match, None if they match none."""
        return self.recognise(gallery, probes, None).identified

    def holders(self, gallery: Gallery, samples: Sequence[PalmTemplate]) -> set[AccountId]:
        """Return every account that any sample matches, however close they are.

        Each is searched alone: fusion could hide one palm among others.
        """
        comparisons = gallery.row_count(samples[0].hand) * len(samples)
        if comparisons == 0:
            return set()
        found = [each for one in samples for each in self._matching(gallery, one, comparisons)]
        return {account_of(each.group_id) for each in found}

    def is_enrolled(self, gallery: Gallery, sample: PalmTemplate, comparisons: int) -> bool:
        """Return whether a sample matches anybody, at the threshold for ``comparisons``."""
        return comparisons > 0 and bool(self._matching(gallery, sample, comparisons))

    def is_among(
        self, references: Sequence[Reference], sample: PalmTemplate, comparisons: int
    ) -> bool:
        """Return whether a sample matches one of a few references, at the same threshold."""
        same_side = [each.template for each in references if each.template.hand is sample.hand]
        if not same_side:
            return False
        threshold = self._thresholds.identification(comparisons)
        return bool((compare_many(sample, same_side) >= threshold).any())

    def agree(self, samples: Sequence[PalmTemplate]) -> bool:
        """Return whether every sample of one hand matches every other."""
        return len(self.agreeing(samples)) == len(samples)

    def agreeing(self, samples: Sequence[PalmTemplate]) -> Sequence[int]:
        """Return which samples of one hand all match each other: the most, the earliest."""
        everyone = range(len(samples))
        pairs = combinations(everyone, 2)
        alike = {pair for pair in pairs if self._is_same_palm(*(samples[n] for n in pair))}
        for size in reversed(everyone):
            for some in combinations(everyone, size + 1):
                if alike.issuperset(combinations(some, 2)):
                    return some
        return ()

    def covering(self, samples: Sequence[PalmTemplate], count: int) -> list[PalmTemplate]:
        """Return the samples of one palm that represent all of them best, at most so many."""
        scores = np.stack([compare_many(each, samples) for each in samples])
        kept: list[int] = []
        while len(kept) < min(count, len(samples)):
            covered = {
                n: scores[:, [*kept, n]].max(axis=1).sum()
                for n in range(len(samples))
                if n not in kept
            }
            kept.append(max(covered, key=covered.__getitem__))
        return [samples[n] for n in sorted(kept)]

    def repeats(self, sample: PalmTemplate, earlier: Sequence[PalmTemplate]) -> bool:
        """Return whether a sample is a copy of an earlier one of the same hand."""
        same_side = [each for each in earlier if each.hand is sample.hand]
        # A template's score with itself is below 1 if it is smooth or masked.
        own, *others = compare_many(sample, [sample, *same_side])
        return any(own - score <= REPEAT_DEFICIT for score in others)

    def are_one_palm(self, left: Sequence[PalmTemplate], right: Sequence[PalmTemplate]) -> bool:
        """Return whether the right samples are the left palm, mirrored or relabelled.

        Both hands share one frame: a mirrored picture gives the other hand's template.
        """
        flipped = [mirrored(sample) for sample in right]
        mean = np.mean([compare_many(sample, flipped) for sample in left])
        return bool(mean >= self._thresholds.verification(OWN_HANDS))

    def is_new_view(
        self,
        gallery: Gallery,
        probe: PalmTemplate,
        account: AccountId,
        added: Sequence[Reference],
    ) -> bool:
        """Return whether a palm surely is this account's, and looks unlike its references.

        Only enrolled references count for the first: added ones lead no further.
        """
        enrolled = _comparable(probe, account, gallery.references_of(group_of(account)))
        known = [*enrolled, *_comparable(probe, account, added)]
        margin = self._thresholds.margin()
        sure = self._thresholds.verification(max(1, len(enrolled))) + SURE_MARGINS * margin
        if self._reaches(probe, known, sure + NEW_MARGINS * margin):
            return False
        if _account_in(decide_verification([probe], enrolled, sure)) is None:
            return False
        others = laid_over(gallery.search([probe]), [probe], gallery, sure, margin=margin)
        found = decide_verification([probe], enrolled, sure, others=others, margin=margin)
        return _account_in(found) == account

    def _matching(
        self, gallery: Gallery, sample: PalmTemplate, comparisons: int
    ) -> list[Candidate]:
        threshold = self._thresholds.identification(comparisons)
        margin = self._thresholds.margin()
        near = laid_over(gallery.search([sample]), [sample], gallery, threshold, margin=margin)
        return [each for each in near if each.score >= threshold]

    def _is_of(
        self,
        gallery: Gallery,
        probes: Sequence[PalmTemplate],
        account: AccountId,
        candidates: Sequence[Candidate],
        added: Sequence[Reference] = (),
    ) -> bool:
        enrolled = _comparable(probes[0], account, gallery.references_of(group_of(account)))
        more = _comparable(probes[0], account, added)
        comparisons = (len(enrolled) + len(more)) * len(probes)
        threshold = self._thresholds.verification(max(1, comparisons))
        margin = self._thresholds.margin()
        resembling = [p for p in probes if more and self._resembles(p, enrolled)]
        pairs = [each for each in ((probes, enrolled), (resembling, more)) if each[0]]
        others = laid_over(candidates, probes, gallery, threshold, margin=margin)
        found = [
            decide_verification(*pair, threshold, others=others, margin=margin)
            for pair in pairs
        ]
        return account in map(_account_in, found)

    def _resembles(self, probe: PalmTemplate, enrolled: Sequence[Reference]) -> bool:
        margin = self._thresholds.margin()
        alike = self._thresholds.verification() - ALIKE_MARGINS * margin
        return self._reaches(probe, enrolled, alike)

    def _reaches(
        self, probe: PalmTemplate, references: Sequence[Reference], score: float
    ) -> bool:
        found = compare_many(probe, [each.template for each in references])
        return bool((found >= score).any())

    def _is_same_palm(self, one: PalmTemplate, other: PalmTemplate) -> bool:
        return compare(one, other) >= self._thresholds.verification()


def _comparable(
    probe: PalmTemplate, account: AccountId, references: Sequence[Reference]
) -> list[Reference]:
    """Return the references of an account's same hand, by the same extractor."""
    kind = group_of(account), probe.hand, probe.extractor
    return [
        r for r in references if (r.group_id, r.template.hand, r.template.extractor) == kind
    ]


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

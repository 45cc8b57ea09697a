"""Scores become a decision. Pure.

A score at the threshold is a match; one that is not a number never is. Thresholds come from
rates (``engine/decision/calibration.py``): FPIR for identification, FMR for verification.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.comparison.compare import compare_many
from engine.comparison.multi_sample import fuse
from engine.types import Match, NonMatch, NonMatchReason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.types import Candidate, Decision, PalmTemplate, Reference


def decide_identification(
    candidates: Sequence[Candidate],
    threshold: float,
    *,
    margin: float,
) -> Decision:
    """Decide whether the best candidate is who was searched for.

    If another group scores nearly as well, nobody is chosen: one of the two would be let into
    the other's account.

    Args:
        candidates: a candidate list, in any order, its second best group included.
        threshold: of this extractor, for the wanted FPIR and the gallery's size.
        margin: by how much the best group must exceed every other one; of this extractor, see
            ``Calibration.margin``.
    """
    matching = [candidate for candidate in candidates if candidate.score >= threshold]
    if not matching:
        return NonMatch()
    best = max(matching, key=lambda candidate: candidate.score)
    others = [c.score for c in candidates if c.group_id != best.group_id]
    if any(best.score - score < margin for score in others):
        return NonMatch(NonMatchReason.TOO_CLOSE)
    return Match(best.reference_id, best.group_id)


def decide_verification(
    probes: Sequence[PalmTemplate],
    references: Sequence[Reference],
    threshold: float,
    *,
    others: Sequence[Candidate] = (),
    margin: float = 0.0,
) -> Decision:
    """Decide whether probes of one palm are of the one group that is claimed.

    References of the other hand are passed over: whoever enrolled both may show either. A
    template that is forged to be like everybody is like the claimed palm, too: so the claimed
    palm must also exceed all that a search found, as in identification. See D28.

    Args:
        probes: one or more templates of one palm.
        references: all of one group.
        threshold: of this extractor, for the wanted FMR.
        others: candidates of a search for the same probes; those of the claimed group are
            passed over.
        margin: by how much the claimed group must exceed each of them.

    Raises:
        ExtractorMismatch: a reference is of another extractor than the probes.
        ValueError: no probe, probes of two hands, or references of several groups.
    """
    hands = {probe.hand for probe in probes}
    if len(hands) != 1 or len({reference.group_id for reference in references}) > 1:
        raise ValueError("verification compares probes of one hand with one group")
    same_side = [reference for reference in references if reference.template.hand in hands]
    if not same_side:
        return NonMatch()
    templates = [reference.template for reference in same_side]
    score, best = fuse(np.stack([compare_many(probe, templates) for probe in probes]))
    if not score >= threshold:
        return NonMatch()
    claimed = same_side[best]
    if any(score - o.score < margin for o in others if o.group_id != claimed.group_id):
        return NonMatch(NonMatchReason.TOO_CLOSE)
    return Match(claimed.reference_id, claimed.group_id)

"""Scores become a decision. Pure.

A score at the threshold is a match; one that is not a number never is. Thresholds come from
rates (``engine/calibrate.py``): FPIR for identification, FMR for verification.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.compare import compare_many
from engine.fusion import fuse
from engine.parameters import IDENTIFICATION_MARGIN
from engine.types import Match, NonMatch, NonMatchReason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.types import Candidate, Decision, PalmTemplate, Reference


def decide_identification(
    candidates: Sequence[Candidate],
    threshold: float,
    *,
    margin: float = IDENTIFICATION_MARGIN,
) -> Decision:
    """Decide whether the best candidate is who was searched for.

    If another group scores nearly as well, nobody is chosen: one of the two would be let into
    the other's account.

    Args:
        candidates: a candidate list, in any order, its second best group included.
        threshold: of this extractor, for the wanted FPIR and the gallery's size.
        margin: by how much the best group must exceed every other one.
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
    probes: Sequence[PalmTemplate], references: Sequence[Reference], threshold: float
) -> Decision:
    """Decide whether probes of one palm are of the one group that is claimed.

    References of the other hand are passed over: whoever enrolled both may show either.

    Args:
        probes: one or more templates of one palm.
        references: all of one group.
        threshold: of this extractor, for the wanted FMR.

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
    return Match(same_side[best].reference_id, same_side[best].group_id)

"""Turns scores into a decision. Pure.

A score at the threshold matches; NaN never does.
"""

from collections.abc import Sequence

import numpy as np

from engine.comparison.alignment import compare_claimed
from engine.comparison.compare import fuse
from engine.types import (
    Candidate,
    Decision,
    Match,
    NonMatch,
    NonMatchReason,
    PalmTemplate,
    Reference,
)


def decide_identification(
    candidates: Sequence[Candidate], threshold: float, *, margin: float
) -> Decision:
    """Decide whether the best candidate matches.

    If another group scores nearly as well there is no match: one person could enter the other's
    account.

    Args:
        candidates: the second-best group included.
        threshold: for the target FPIR and the gallery's size.
        margin: least lead, ``Calibration.margin``.
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
    """Decide whether probes of one palm match the claimed group.

    References of the other hand are ignored. A forged template that resembles everybody also
    resembles the claimed palm, so the claimed group must lead every other candidate; E28.

    Args:
        probes: templates of one palm.
        references: all of one group.
        threshold: for the target FMR.
        others: candidates of a search for these probes, aligned as the claimed group is
            (``gallery.near.laid_over``).
        margin: least lead of the claimed group over them.

    Raises:
        ExtractorMismatch: a reference has another extractor.
        ValueError: no probe, two hands, or several groups.
    """
    hands = {probe.hand for probe in probes}
    if len(hands) != 1 or len({reference.group_id for reference in references}) > 1:
        raise ValueError("verification compares probes of one hand with one group")
    same_side = [reference for reference in references if reference.template.hand in hands]
    if not same_side:
        return NonMatch()
    templates = [reference.template for reference in same_side]
    group = same_side[0].group_id
    needed = max((o.score + margin for o in others if o.group_id != group), default=threshold)
    enough = max(threshold, needed)
    score, best = fuse(
        np.stack([compare_claimed(probe, templates, enough=enough) for probe in probes])
    )
    if not score >= threshold:
        return NonMatch()
    claimed = same_side[best]
    if score < needed:
        return NonMatch(NonMatchReason.TOO_CLOSE)
    return Match(claimed.reference_id, claimed.group_id)

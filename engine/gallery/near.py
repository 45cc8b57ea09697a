"""Lays a shown palm over the candidates of a search that may match: E78."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine import parameters as tuned
from engine.comparison.alignment import compare_claimed
from engine.comparison.compare import fuse
from engine.gallery.port import Gallery
from engine.types import Candidate, PalmTemplate


def laid_over(
    candidates: Sequence[Candidate],
    probes: Sequence[PalmTemplate],
    gallery: Gallery,
    threshold: float,
    *,
    margin: float,
) -> list[Candidate]:
    """Return candidates, best first; those that may match, and rivals of a match, are aligned.

    Without a dense code of a probe they stay as they are, and so does a match without a rival.
    With ``Calibration.margin`` one search in ten by a person who is not enrolled has a
    candidate to lay over.
    """
    best = max((each.score for each in candidates), default=0.0)
    floor = max(threshold, best - tuned.ALIGN_GAIN[-1]) - margin
    hopeful = [each for each in candidates if each.score >= floor]
    is_decided = best >= threshold and len(hopeful) == 1
    if is_decided or all(probe.dense is None for probe in probes):
        return list(candidates)
    near = [
        _laid_over(each, probes, gallery, floor) if each.score >= floor else each
        for each in candidates
    ]
    return sorted(near, key=lambda each: -each.score)


def _laid_over(
    candidate: Candidate, probes: Sequence[PalmTemplate], gallery: Gallery, floor: float
) -> Candidate:
    references = [
        each
        for each in gallery.references_of(candidate.group_id)
        if each.template.hand is probes[0].hand
    ]
    if not references:
        # Erased since the search.
        return candidate
    templates = [each.template for each in references]
    scores = np.stack([compare_claimed(probe, templates, floor=floor) for probe in probes])
    score, best = fuse(scores)
    if score <= candidate.score:
        return candidate
    return replace(candidate, reference_id=references[best].reference_id, score=score)

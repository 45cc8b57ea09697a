"""Lays a shown palm over the candidates that a search found just below its threshold: E78."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

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
    reach: float,
) -> list[Candidate]:
    """Return candidates, best first; those that lack at most ``reach`` may score higher.

    Without a dense code of a probe they stay as they are. With ``Calibration.margin`` as
    ``reach``, one search in ten by a person who is not enrolled has a candidate to lay over.
    """
    if all(probe.dense is None for probe in probes):
        return list(candidates)
    near = [
        _laid_over(each, probes, gallery, threshold - reach)
        if threshold - reach <= each.score < threshold
        else each
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
        # Erased since the search: below the threshold it matches nothing.
        return candidate
    templates = [each.template for each in references]
    scores = np.stack([compare_claimed(probe, templates, floor=floor) for probe in probes])
    score, best = fuse(scores)
    if score <= candidate.score:
        return candidate
    return replace(candidate, reference_id=references[best].reference_id, score=score)

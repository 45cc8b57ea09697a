"""Probes of enrolled palms, and why some do not come first."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.progress import track

from benchmarks.console import console
from benchmarks.measurement.rates import rate
from benchmarks.search.gallery import MeasuredGallery
from benchmarks.search.population.people import BATCH_PALMS, REFERENCES, People, group_of
from engine.comparison.compare import compare_many, fuse
from engine.parameters import COMPARED_GROUPS
from engine.types import Candidate, GroupId, PalmTemplate


@dataclass(frozen=True, slots=True)
class Mates:
    """Probes of enrolled palms.

    Attributes:
        scores: fused comparison score of each with its own references.
    """

    palms: list[int]
    probes: list[PalmTemplate]
    scores: list[float]

    def above(self, threshold: float) -> list[int]:
        """Return those at or above a threshold: they must not be lost."""
        return [n for n, score in enumerate(self.scores) if score >= threshold]

    def vectors(self, which: Sequence[int]) -> NDArray[np.float32]:
        """Return the vectors of some, shape (some, dimension)."""
        return np.stack([self.probes[number].vector for number in which])


def choose_mates(people: People, count: int, seed: int) -> Mates:
    """Choose drawn palms; compare a new picture of each with its references."""
    rng = np.random.default_rng(seed)
    known = people.drawn_count
    palms = np.sort(rng.choice(known, min(count, known), replace=False))
    probes, scores = people.probes(palms), list[float]()
    for first in range(0, known, BATCH_PALMS):
        references = people.references(first)
        for number in np.flatnonzero(palms // BATCH_PALMS == first // BATCH_PALMS):
            own = REFERENCES * (int(palms[number]) - first)
            pair = [each.template for each in references[own : own + REFERENCES]]
            scores.append(fuse(compare_many(probes[number], pair)[None])[0])
    return Mates(palms.tolist(), probes, scores)


def search_mates(
    gallery: MeasuredGallery, people: People, mates: Mates, above: Sequence[int]
) -> dict[int, str]:
    """Search for mates; return why some do not come first.

    Returns:
        By the mate's number: ``outranked``: compared, but a non-mated palm scores more;
        ``lost``: not compared, though few palms are nearer by their vectors; ``not_compared``:
        as many palms are nearer as are compared.
    """
    failures = {}
    for number in track(above, "searching for mates", console=console):
        found = gallery.search([mates.probes[number]])
        own = group_of(mates.palms[number])
        if not _is_among(found[:1], own):
            failures[number] = "outranked" if _is_among(found, own) else "unknown"
    unknown = [number for number, why in failures.items() if why == "unknown"]
    ranks = exact_ranks(people, mates, unknown)
    for number, rank in zip(unknown, ranks.tolist(), strict=True):
        failures[number] = "lost" if rank < COMPARED_GROUPS else "not_compared"
    return failures


def exact_ranks(people: People, mates: Mates, which: Sequence[int]) -> NDArray[np.int64]:
    """Return how many other palms are nearer to each mate than its own, exactly."""
    if len(which) == 0:
        return np.zeros(0, np.int64)
    probes = mates.vectors(which)
    palms = [mates.palms[number] for number in which]
    own = np.einsum("pd,prd->pr", probes, people.references_of(palms)).max(axis=1)
    count = partial(_count_nearer, people, probes, own)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        counts = pool.map(count, range(0, people.count, BATCH_PALMS))
        return np.asarray(np.stack(list(counts)).sum(axis=0), np.int64)


def _count_nearer(
    people: People, probes: NDArray[np.float32], own: NDArray[np.float32], first: int
) -> NDArray[np.int64]:
    cosines = (probes @ people.rows_of(first).T).reshape(len(probes), -1, REFERENCES)
    # The same product by another routine may differ in its last bits.
    limits = own[:, None] + np.float32(1e-6)
    return np.asarray((cosines.max(axis=2) > limits).sum(axis=1), np.int64)


def count_failures(failures: dict[int, str], mates: Mates, threshold: float) -> dict[str, Any]:
    """Count why mates above a threshold did not come first."""
    above = mates.above(threshold)
    reasons = [failures[number] for number in above if number in failures]
    lost = rate(reasons.count("lost"), len(above))
    return {
        "threshold": round(threshold, 4),
        "mated_probes": len(mates.palms),
        "above_threshold": len(above),
        "lost_by_the_scan": lost.count,
        "lost_share_95_percent": [lost.low, lost.high],
        "outranked_by_a_stranger": reasons.count("outranked"),
        "not_among_the_compared": reasons.count("not_compared"),
    }


def _is_among(candidates: Sequence[Candidate], group: GroupId) -> bool:
    return any(candidate.group_id == group for candidate in candidates)

"""Make all comparisons of a plan, by every method, on all cores.

A job is a few probes; it returns their scores and search results.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import perf_counter, process_time
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy.plan import UNKNOWN_PALM, Plan
from benchmarks.accuracy.processes import in_order
from benchmarks.accuracy.scoring.matcher import (
    NOT_COMPARED,
    SHIFT_METHODS,
    Features,
    ShiftedDistances,
)

Scores = NDArray[np.float32]

JOB_COMPARISONS: Final = 50_000
"""Comparisons of a job: seconds of work, little data to send."""

COMMAND_COMPARISONS: Final = 50
"""Comparisons of a job with a matcher, which may be slow: all processes have some."""

ABSENT: Final = -np.inf
"""Score of an unenrolled mate, or of a missing rival."""


@dataclass(frozen=True, slots=True)
class Compared:
    """All scores of a run.

    Attributes:
        mated: by method, shape (count,), float32, higher is more similar.
        mated_pairs: shape (count, 2), int32: templates of the plan, probe and reference.
        times_s: CPU seconds of all processes, by method; of a matcher, until it answered.
        failed: comparisons that a method could not make; they have its lowest score.
        searches: shape (probes, methods, 3), float64. Score of the probe's own palm, or
            ``ABSENT``; its rank, enrolled palms that score at least as high, itself included,
            or 0; score of the best other palm, or ``ABSENT``.
    """

    mated: dict[str, Scores] = field(repr=False)
    nonmated: dict[str, Scores] = field(repr=False)
    mated_pairs: NDArray[np.int32] = field(repr=False)
    nonmated_pairs: NDArray[np.int32] = field(repr=False)
    searches: NDArray[np.float64] = field(repr=False)
    times_s: dict[str, float]
    wall_s: float
    failed: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Batch:
    """Result of a job: scores, shape (methods, comparisons), and searches."""

    scores: Scores = field(repr=False)
    searches: list[list[tuple[float, int, float]]]
    times_s: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class ComparisonContext:
    """Input of a process that compares."""

    plan: Plan
    features: Features
    methods: tuple[str, ...]


_CONTEXT: dict[str, ComparisonContext] = {}
"""Of this process, set by ``_prepare``: sent once, not with every job."""


def compare_all(
    context: ComparisonContext, *, workers: int, advance: Callable[[int], None]
) -> Compared:
    """Make all comparisons of a plan."""
    since, jobs, batches = perf_counter(), _jobs(context.plan, _job_comparisons(context)), []
    for batch in in_order(
        _compare_job, jobs, workers=workers, prepare=_prepare, prepared=(context,)
    ):
        batches.append(batch)
        advance(batch.scores.shape[1])
    pairs, is_mated = context.plan.pairs()
    names, scores = context.methods, [np.zeros((len(context.methods), 0), np.float32)]
    every = dict(zip(names, np.hstack([*scores, *(b.scores for b in batches)]), strict=True))
    failed = {name: _lower_failed(every[name]) for name in context.features.matchers}
    times_s = np.sum([batch.times_s for batch in batches], axis=0).tolist() or [0.0] * len(
        names
    )
    searches = np.array([one for batch in batches for one in batch.searches])
    return Compared(
        mated={name: of_all[is_mated] for name, of_all in every.items()},
        nonmated={name: of_all[~is_mated] for name, of_all in every.items()},
        mated_pairs=pairs[is_mated],
        nonmated_pairs=pairs[~is_mated],
        searches=searches.reshape(-1, len(names), 3),
        times_s=dict(zip(names, times_s, strict=True)),
        wall_s=perf_counter() - since,
        failed=failed,
    )


def _lower_failed(scores: Scores) -> int:
    """Give comparisons that could not be made the lowest score; return how many they are."""
    failed = scores == NOT_COMPARED
    scores[failed] = scores[~failed].min(initial=np.inf) if not failed.all() else 0.0
    return int(failed.sum())


def _job_comparisons(context: ComparisonContext) -> int:
    return COMMAND_COMPARISONS if context.features.matchers else JOB_COMPARISONS


def _jobs(plan: Plan, comparisons: int) -> Iterator[range]:
    totals = np.cumsum(plan.comparison_counts())
    start = 0
    while start < len(totals):
        before = totals[start - 1] if start else 0
        end = int(np.searchsorted(totals, before + comparisons)) + 1
        yield range(start, min(end, len(totals)))
        start = end


def _prepare(context: ComparisonContext) -> None:
    _CONTEXT["here"] = context


def _compare_job(probes: range) -> Batch:
    context = _CONTEXT["here"]
    since = process_time()
    shifted = [_laid(context, probe) for probe in probes]
    laying_s = process_time() - since
    scores, times_s = [], []
    for method in context.methods:
        # A matcher's program works while this process waits.
        clock = perf_counter if method in context.features.matchers else process_time
        since = clock()
        pairs = zip(probes, shifted, strict=True)
        scores.append([_scores(context, method, probe, one) for probe, one in pairs])
        # Work shared by several methods counts for each, as if it were alone.
        shared_s = laying_s if method in SHIFT_METHODS else 0.0
        times_s.append(clock() - since + shared_s)
    found = [
        [_search(context.plan, probe, one[place]) for one in scores]
        for place, probe in enumerate(probes)
        if context.plan.is_probe[probe]
    ]
    return Batch(
        scores=np.stack([np.concatenate(one) for one in scores]),
        searches=found,
        times_s=tuple(times_s),
    )


def _laid(context: ComparisonContext, probe: int) -> ShiftedDistances | None:
    start, end = int(context.plan.starts[probe]), int(context.plan.ends[probe])
    if start == end or SHIFT_METHODS.isdisjoint(context.methods):
        return None
    return context.features.compare_shifted_run(probe, start, end)


def _scores(
    context: ComparisonContext, method: str, probe: int, shifted: ShiftedDistances | None
) -> Scores:
    start, end = int(context.plan.starts[probe]), int(context.plan.ends[probe])
    if start == end:
        return np.zeros(0, np.float32)
    return context.features.scores(method, probe, start, end, shifted)


def _search(plan: Plan, probe: int, scores: Scores) -> tuple[float, int, float]:
    """Search the gallery: the mate's score, its rank, the best rival."""
    start, end = int(plan.starts[probe]), int(plan.gallery_ends[probe])
    names = plan.identities[start:end]
    first = np.flatnonzero(np.diff(names, prepend=UNKNOWN_PALM - 1))
    best = np.maximum.reduceat(scores[: end - start], first)
    own = names[first] == plan.identities[probe]
    mate = float(best[own][0]) if own.any() else ABSENT
    rank = int((best >= mate).sum()) if own.any() else 0
    return mate, rank, float(np.max(best[~own], initial=ABSENT))

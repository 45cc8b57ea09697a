"""Make all comparisons of a plan, by every method, on all cores, into files.

A job is a few probes; it returns their scores and search results.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, Final

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
class Searches:
    """Search results: one row per probe, one column per method.

    Attributes:
        mate: score of the probe's own palm, or ``ABSENT``.
        rank: enrolled palms that score at least as high as the mate, itself included; 0 without
            a mate.
        rivals: score of the best other palm, or ``ABSENT``.
    """

    mate: Scores = field(repr=False)
    rank: NDArray[np.int32] = field(repr=False)
    rivals: Scores = field(repr=False)


@dataclass(frozen=True, slots=True)
class Compared:
    """All scores of a run, in files.

    Attributes:
        mated: by method, shape (count,), float32, higher is more similar.
        mated_pairs: shape (count, 2), int32: templates of the plan, probe and reference.
        times_s: CPU seconds of all processes, by method; of a matcher, until it answered.
        failed: comparisons that a method could not make; they have its lowest score.
    """

    mated: dict[str, Scores] = field(repr=False)
    nonmated: dict[str, Scores] = field(repr=False)
    mated_pairs: NDArray[np.int32] = field(repr=False)
    nonmated_pairs: NDArray[np.int32] = field(repr=False)
    searches: Searches
    times_s: dict[str, float]
    wall_s: float
    failed: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Batch:
    """Result of a job: scores, shape (methods, comparisons), and searches per probe."""

    probes: range
    scores: Scores = field(repr=False)
    mate: Scores = field(repr=False)
    rank: NDArray[np.int32] = field(repr=False)
    rivals: Scores = field(repr=False)
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
    context: ComparisonContext, folder: Path, *, workers: int, advance: Callable[[int], None]
) -> Compared:
    """Make all comparisons of a plan."""
    since = perf_counter()
    mated_count = sum(
        int(context.plan.mated_mask(p).sum()) for p in range(len(context.plan.rows))
    )
    total = int(context.plan.comparison_counts().sum())
    mated = ScoreFiles(folder / "mated", context.methods, mated_count)
    nonmated = ScoreFiles(folder / "nonmated", context.methods, total - mated_count)
    times_s = np.zeros(len(context.methods))
    batches = []
    for batch in in_order(
        _compare_job,
        _jobs(context.plan, _job_comparisons(context)),
        workers=workers,
        prepare=_prepare,
        prepared=(context,),
    ):
        _file_scores(context.plan, batch, mated, nonmated)
        times_s += batch.times_s
        batches.append(batch)
        advance(batch.scores.shape[1])
    return Compared(
        mated=mated.by_method(),
        nonmated=nonmated.by_method(),
        mated_pairs=mated.pairs,
        nonmated_pairs=nonmated.pairs,
        searches=_searches(context, batches),
        times_s=dict(zip(context.methods, times_s.tolist(), strict=True)),
        wall_s=perf_counter() - since,
        failed=_lower_failed(context, mated.by_method(), nonmated.by_method()),
    )


def _lower_failed(
    context: ComparisonContext, mated: dict[str, Scores], nonmated: dict[str, Scores]
) -> dict[str, int]:
    """Give comparisons that could not be made the lowest score; return how many they are."""
    failed = {}
    for name in context.features.matchers:
        both = (mated[name], nonmated[name])
        made = [scores[scores != NOT_COMPARED] for scores in both]
        lowest = min((float(scores.min()) for scores in made if scores.size), default=0.0)
        failed[name] = sum(scores.size for scores in both) - sum(one.size for one in made)
        for scores in both:
            scores[scores == NOT_COMPARED] = lowest
    return failed


class ScoreFiles:
    """Files for scores of one kind, written in order."""

    def __init__(self, stem: Path, methods: tuple[str, ...], count: int) -> None:
        self._methods = methods
        self._scores = _array_file(stem.with_suffix(".scores"), (len(methods), count), "f4")
        self.pairs = _array_file(stem.with_suffix(".pairs"), (count, 2), "i4")
        self._filled = 0

    def write(self, scores: Scores, probe: int, references: NDArray[np.int_]) -> None:
        """Append a probe's scores, shape (methods, count)."""
        place = slice(self._filled, self._filled + references.size)
        self._scores[:, place] = scores
        self.pairs[place, 0], self.pairs[place, 1] = probe, references
        self._filled += references.size

    def by_method(self) -> dict[str, Scores]:
        """Return the scores of each method."""
        return dict(zip(self._methods, self._scores, strict=True))


def _array_file(path: Path, shape: tuple[int, int], kind: str) -> NDArray[Any]:
    if 0 in shape:
        return np.zeros(shape, kind)
    return np.lib.format.open_memmap(path, "w+", np.dtype(kind), shape)


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
    shape = (len(found), len(context.methods))
    return Batch(
        probes=probes,
        scores=np.stack([np.concatenate(one) for one in scores]),
        mate=np.array([[m for m, _, _ in one] for one in found], np.float32).reshape(shape),
        rank=np.array([[r for _, r, _ in one] for one in found], np.int32).reshape(shape),
        rivals=np.array([[v for _, _, v in one] for one in found], np.float32).reshape(shape),
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


def _file_scores(plan: Plan, batch: Batch, mated: ScoreFiles, nonmated: ScoreFiles) -> None:
    place = 0
    for probe in batch.probes:
        is_mated = plan.mated_mask(probe)
        scores = batch.scores[:, place : place + is_mated.size]
        place += is_mated.size
        references = plan.starts[probe] + np.arange(is_mated.size)
        mated.write(scores[:, is_mated], probe, references[is_mated])
        nonmated.write(scores[:, ~is_mated], probe, references[~is_mated])


def _searches(context: ComparisonContext, batches: list[Batch]) -> Searches:
    count = len(context.methods)
    empty = np.zeros((0, count))
    return Searches(
        mate=np.concatenate([empty.astype(np.float32), *(b.mate for b in batches)]),
        rank=np.concatenate([empty.astype(np.int32), *(b.rank for b in batches)]),
        rivals=np.concatenate([empty.astype(np.float32), *(b.rivals for b in batches)]),
    )

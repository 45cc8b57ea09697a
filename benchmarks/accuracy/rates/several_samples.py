"""Errors of logins with several samples: the best of their scores, as the engine takes.

A login has consecutive pictures of one palm and session. It fuses scores that were already
made.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from benchmarks.accuracy.plan import UNKNOWN_PALM
from benchmarks.accuracy.rates.error_rates import error_rates
from benchmarks.measurement.rates import rate_numbers, rounded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from benchmarks.accuracy.plan import Plan
    from benchmarks.accuracy.scoring.compare_all import Compared

    Scores = NDArray[np.float32]

SAMPLES: Final = (1, 2, 3)

FMRS: Final = (1e-3, 1e-4)


def several_samples(compared: Compared, plan: Plan, name: str) -> list[dict[str, Any]]:
    """Return one method's errors by samples per login."""
    rows = ScoreRows(compared, name)
    lines = []
    for count in SAMPLES:
        logins = list(logins_of(plan, count))
        mated, nonmated = _fused(rows, plan, logins)
        if mated.size and nonmated.size:
            lines.append(_line(count, mated, nonmated))
    return lines


class ScoreRows:
    """Scores of each probe with its references, in order.

    Args:
        compared: all scores: those of a probe are adjacent, by reference.
        name: of the method.
    """

    def __init__(self, compared: Compared, name: str) -> None:
        self._kinds = [
            (np.ascontiguousarray(pairs[:, 0]), pairs[:, 1], scores[name])
            for pairs, scores in (
                (compared.mated_pairs, compared.mated),
                (compared.nonmated_pairs, compared.nonmated),
            )
        ]

    def row(self, probe: int, start: int, end: int) -> Scores:
        """Return a probe's scores with the templates from ``start`` to ``end``."""
        scores = np.full(end - start, np.nan, np.float32)
        # With another dtype numpy would copy all probes.
        bounds = np.array([probe, probe + 1], np.int32)
        for probes, references, values in self._kinds:
            first, last = np.searchsorted(probes, bounds)
            places = references[first:last] - start
            wanted = places < end - start
            scores[places[wanted]] = values[first:last][wanted]
        return scores


def logins_of(plan: Plan, count: int) -> Iterator[range]:
    """Yield logins: neighbours of one palm, one session, and all enrolled or none.

    Pictures left over at the end make no login.
    """
    session = plan.ends if plan.session_count > 1 else plan.is_probe
    key = np.stack([plan.sides, plan.identities, session], axis=1)
    edges = np.flatnonzero(np.any(key[1:] != key[:-1], axis=1)) + 1
    bounds = [0, *edges.tolist(), len(key)]
    for first, last in pairwise(bounds):
        if plan.identities[first] != UNKNOWN_PALM:
            starts = range(first, last - count + 1, count)
            yield from (range(start, start + count) for start in starts)


def _fused(rows: ScoreRows, plan: Plan, logins: list[range]) -> tuple[Scores, Scores]:
    mated, nonmated = [np.zeros(0, np.float32)], [np.zeros(0, np.float32)]
    for login in logins:
        # References before every picture of the login; within one session, of others.
        start, end = int(plan.starts[login[0]]), int(plan.ends[login].min())
        if start >= end:
            continue
        scores = np.stack([rows.row(probe, start, end) for probe in login]).max(axis=0)
        own = plan.mated_mask(login[0])[: end - start]
        mated.append(scores[own])
        nonmated.append(scores[~own])
    return np.concatenate(mated), np.concatenate(nonmated)


def _line(count: int, mated: Scores, nonmated: Scores) -> dict[str, Any]:
    rates = error_rates(mated, nonmated)
    points = [(fmr, rates.threshold_for_fmr(fmr)) for fmr in FMRS]
    return {
        "samples": count,
        "comparisons": {"mated": int(mated.size), "nonmated": int(nonmated.size)},
        "eer": rounded(rates.equal_error_rate()),
        "at": [
            {"fmr": fmr, "fnmr": rate_numbers(rates.false_non_matches(threshold), mated.size)}
            for fmr, threshold in points
        ],
    }

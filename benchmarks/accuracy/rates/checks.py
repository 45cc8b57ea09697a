"""Check a calibration against a set, and in how large a gallery a palm is found."""

from itertools import product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy.plan import ENROLLED_PICTURES, Plan
from benchmarks.accuracy.rates.error_rates import Bootstrap, ErrorRates
from benchmarks.accuracy.rates.evaluation import FMRS
from benchmarks.measurement import interval_over, rate_numbers, rounded
from engine.decision.calibration import Calibration, fmr_for_fpir

CURVE_POINTS: Final = 60

MISSED_OVER: Final = (0.05, 0.2, 0.5)
"""Shares of a palm's comparisons."""

SHIPPED: Final = FMRS.index(1e-4)
"""The check at the engine's default ``target_fmr``, with which every summary begins."""


def calibration_check(
    calibration: Calibration, rates: ErrorRates, draws: Bootstrap
) -> list[dict[str, Any]]:
    """Return the errors at the thresholds of a calibration: what users get."""
    points = []
    for fmr in FMRS:
        threshold = calibration.threshold_for_fmr(fmr)
        matched = rates.false_matches(threshold), rates.nonmated.size
        missed = rates.false_non_matches(threshold), rates.mated.size
        points.append(
            {
                "fmr_stated": fmr,
                "threshold": rounded(threshold),
                "extrapolated": calibration.is_extrapolated(fmr),
                "fmr": rate_numbers(*matched, draws.fmr_interval(threshold)),
                "fnmr": rate_numbers(*missed, draws.missed_interval(threshold)),
            }
        )
    return points


def palms_missed(
    scores: NDArray[np.float32], palms: NDArray[np.int32], calibration: Calibration
) -> dict[str, Any]:
    """Return how the misses of mated comparisons spread over palms at the shipped threshold."""
    missed = scores < np.float32(calibration.threshold_for_fmr(FMRS[SHIPPED]))
    means = np.array([missed[palms == palm].mean() for palm in np.unique(palms)])
    return {
        "palms": len(means),
        "mean_fnmr": rounded(float(means.mean())),
        "mean_interval_95": _mean_interval(means),
        "over": {str(share): int((means > share).sum()) for share in MISSED_OVER},
    }


def _mean_interval(means: NDArray[np.float64]) -> list[float]:
    """Return the interval of a mean over palms, by bootstrap."""
    drawn = np.random.default_rng(0).choice(means, (2_000, len(means))).mean(axis=1)
    return [rounded(float(end)) for end in np.quantile(drawn, (0.025, 0.975))]


def calibration_curve(
    calibration: Calibration, rates: ErrorRates
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return stated and observed FMR over the non-mated scores."""
    least = 1 / rates.nonmated.size
    observed = np.geomspace(0.5, least, CURVE_POINTS)
    thresholds = [rates.threshold_for_fmr(float(fmr)) for fmr in observed]
    stated = [calibration.fmr_at(threshold) for threshold in thresholds]
    return np.array(stated), np.array([rates.fmr(threshold) for threshold in thresholds])


PEOPLE: Final = tuple(10**power for power in range(2, 10))
"""Sizes, each with ``ENROLLED_PICTURES`` references of a palm."""

FRAMES: Final = (1, 2)
"""Consecutive pictures of an attempt, of which the best counts."""

FPIR: Final = 1e-3
"""Of a person who is not enrolled and shows both palms."""


def gallery_sizes(
    scores: NDArray[np.float32], plain: NDArray[np.float32], pairs: NDArray[np.int32],
    plan: Plan, calibration: Calibration,
) -> list[dict[str, Any]]:  # fmt: skip
    """Return the FNIR at the thresholds that keep ``FPIR`` among so many people.

    Comparisons count as independent. A search lays a palm over those alone whose plain score
    lacks at most the margin.

    Args:
        scores: of mated comparisons, as a verification makes them.
        plain: of the same ones, without laying over.
        pairs: their templates, shape (count, 2).
        plan: says which are searches.
        calibration: gives the thresholds.
    """
    sizes = []
    for frames, people in product(FRAMES, PEOPLE):
        fmr = fmr_for_fpir(FPIR, 2 * people * ENROLLED_PICTURES * frames)
        threshold = calibration.threshold_for_fmr(fmr)
        found = np.where(plain >= threshold - calibration.margin, scores, plain)
        missed: dict[int, list[bool]] = {}
        for (who, _), tried in _best_scores(found, pairs, plan).items():
            ends = range(frames, len(tried) + 1, frames)
            hits = [max(tried[end - frames : end]) < threshold for end in ends]
            missed.setdefault(who, []).extend(hits)
        trials = [hit for hits in missed.values() for hit in hits]
        interval = interval_over({who: hits for who, hits in missed.items() if hits})
        fnir = rate_numbers(sum(trials), len(trials), interval)
        one_palm = {"fmr": rounded(fmr), "threshold": rounded(threshold), "fnir": fnir}
        sizes.append({"people": people, "frames": frames, "one_palm": one_palm})
    return sizes


def _best_scores(
    scores: NDArray[np.float32], pairs: NDArray[np.int32], plan: Plan
) -> dict[tuple[int, int], list[float]]:
    """Return each search's best score with its palm's references, by person and side."""
    tried: dict[int, list[float]] = {}
    for (probe, reference), score in zip(pairs.tolist(), scores.tolist(), strict=True):
        if plan.is_probe[probe] and reference < plan.gallery_ends[probe]:
            tried.setdefault(probe, []).append(score)
    palms: dict[tuple[int, int], list[float]] = {}
    for probe, found in tried.items():
        palm = int(plan.subjects[probe]), int(plan.sides[probe])
        palms.setdefault(palm, []).append(max(found[:ENROLLED_PICTURES]))
    return palms

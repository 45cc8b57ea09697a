"""Check a calibration against a set, and whether quality predicts errors."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy.rates.bootstrap import Bootstrap
from benchmarks.accuracy.rates.error_rates import ErrorRates
from benchmarks.accuracy.rates.evaluation import FMRS
from benchmarks.measurement.rates import SUPPORTING_ERRORS, rate_numbers, rounded
from engine.decision.calibration import Calibration

DISCARDED: Final = tuple(share / 100 for share in range(0, 55, 5))
"""Shares of the pictures left out, worst first."""

DISCARD_FMR: Final = 1e-3
"""FMR of all pictures whose threshold is used."""

CURVE_POINTS: Final = 60

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


def calibration_curve(
    calibration: Calibration, rates: ErrorRates
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return stated and observed FMR over the non-mated scores."""
    least = 1 / rates.nonmated.size
    observed = np.geomspace(0.5, least, CURVE_POINTS)
    thresholds = [rates.threshold_for_fmr(float(fmr)) for fmr in observed]
    stated = [calibration.fmr_at(threshold) for threshold in thresholds]
    return np.array(stated), np.array([rates.fmr(threshold) for threshold in thresholds])


def discard_curve(
    scores: NDArray[np.float32],
    pairs: NDArray[np.int32],
    qualities: NDArray[np.int32],
    rates: ErrorRates,
) -> list[dict[str, Any]]:
    """Return the FNMR without the pictures of the lowest quality.

    Args:
        scores: of mated comparisons.
        pairs: their templates, shape (count, 2).
        qualities: of each template, 0 to 100; ties in the order of the plan.
        rates: give the threshold.
    """
    # Enough false matches must be behind the threshold.
    least = SUPPORTING_ERRORS / rates.nonmated.size
    threshold = rates.threshold_for_fmr(max(DISCARD_FMR, least))
    order = np.empty(qualities.size, np.int64)
    order[np.argsort(qualities, kind="stable")] = np.arange(qualities.size)
    worst = order[np.asarray(pairs)].min(axis=1)
    missed = np.asarray(scores) < threshold
    points = []
    for share in DISCARDED:
        left = worst >= share * qualities.size
        if not left.any():
            break
        count = rate_numbers(int(missed[left].sum()), int(left.sum()))
        points.append({"discarded": share, "fnmr": count})
    return points

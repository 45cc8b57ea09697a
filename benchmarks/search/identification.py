"""The FPIR and FNIR of a gallery, observed. ISO/IEC 19795-1.

Every probe is searched once and counts twice: without its own palm, whose place in the short
list goes to one more group, the same search is non-mated.
"""

from typing import Any, Final

import numpy as np
from rich.progress import track

from benchmarks.accuracy.rates.error_rates import ErrorRates, error_rates
from benchmarks.console import console
from benchmarks.measurement.rates import rate_numbers
from benchmarks.search.gallery import MeasuredGallery
from benchmarks.search.population.mates import Mates
from benchmarks.search.population.people import group_of
from engine.parameters import COMPARED_GROUPS
from engine.types import GroupId, PalmTemplate

TARGET_FPIR: Final = 1e-3

OBSERVED: Final = f"observed_fpir_{TARGET_FPIR:g}"
"""Lowest threshold at which the searches of this run have that rate."""


def identify(gallery: MeasuredGallery, mates: Mates) -> ErrorRates:
    """Search every probe; a mate that is not first has score 0."""
    pairs = zip(mates.palms, mates.probes, strict=True)
    shown = track(list(pairs), "identifying", console=console)
    found = [_best_scores(gallery, probe, group_of(palm)) for palm, probe in shown]
    own, others = np.array(found, np.float32).T
    return error_rates(np.where(own > others, own, 0), others)


def _best_scores(
    gallery: MeasuredGallery, probe: PalmTemplate, own: GroupId
) -> tuple[float, float]:
    """Return the scores of the own group and of the best other one; 0 if not compared."""
    found = gallery.search([probe], count=COMPARED_GROUPS + 1)
    mated = [each.score for each in found if each.group_id == own]
    others = [each.score for each in found if each.group_id != own]
    return max(mated, default=0.0), max(others, default=0.0)


def identification(rates: ErrorRates, thresholds: dict[str, float]) -> dict[str, Any]:
    """Return the rates at calibrated thresholds, and where the target is observed."""
    observed = rates.threshold_for_fmr(TARGET_FPIR)
    return {
        name: {
            "threshold": round(threshold, 4),
            "fpir": rate_numbers(rates.false_matches(threshold), rates.nonmated.size),
            "fnir": rate_numbers(rates.false_non_matches(threshold), rates.mated.size),
        }
        for name, threshold in {**thresholds, OBSERVED: observed}.items()
    }

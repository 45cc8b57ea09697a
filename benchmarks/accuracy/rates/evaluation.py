"""All reported numbers of one method's scores.

An interval is the wider of two: the bootstrap over subjects, and Clopper and Pearson's, which
does not vanish without errors.
"""

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy.plan import Plan
from benchmarks.accuracy.rates.error_rates import (
    Bootstrap,
    ErrorRates,
    SubjectScores,
    bootstrap,
    error_rates,
)
from benchmarks.accuracy.scoring.compare_all import ABSENT, Compared
from benchmarks.measurement import rate_numbers, rounded

FMRS: Final = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)

FPIRS: Final = (1e-2, 1e-3)

SIDE_NAMES: Final = ("left", "right", "side not known")


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Results of one method.

    Attributes:
        rates: None without mated or non-mated comparisons.
        draws: None in the same case.
    """

    name: str
    rates: ErrorRates | None = field(repr=False)
    draws: Bootstrap | None = field(repr=False)
    numbers: dict[str, Any] = field(repr=False)


@dataclass(frozen=True, slots=True)
class EvaluationInput:
    """Inputs that all methods of a run share.

    Attributes:
        fta: failure to acquire, from ``rate_numbers``.
        groups: value of each template of the plan, by the name of a column.
    """

    compared: Compared
    plan: Plan
    fta: dict[str, Any] = field(repr=False)
    seed: int
    groups: dict[str, NDArray[np.str_]] = field(default_factory=dict, repr=False)


def evaluate(name: str, place: int, inputs: EvaluationInput) -> Evaluation:
    """Evaluate one method."""
    compared, plan, fta = inputs.compared, inputs.plan, inputs.fta
    mated, nonmated = compared.mated[name], compared.nonmated[name]
    numbers: dict[str, Any] = {
        "comparisons": {"mated": int(mated.size), "nonmated": int(nonmated.size)},
        "identification": identification(compared, plan, place),
    }
    if not mated.size or not nonmated.size:
        return Evaluation(name, None, None, numbers)
    rates = error_rates(mated, nonmated)
    draws = bootstrap(
        rates,
        SubjectScores(mated, plan.subjects, compared.mated_pairs),
        SubjectScores(nonmated, plan.subjects, compared.nonmated_pairs),
        seed=inputs.seed,
    )
    eer = rates.equal_error_rate()
    as_errors = rate_numbers(round(eer * mated.size), mated.size, draws.eer_interval())
    numbers["eer"] = {"value": rounded(eer), "interval_95": as_errors["interval_95"]}
    numbers["operating_points"] = [operating_point(rates, draws, fmr, fta) for fmr in FMRS]
    numbers |= key_figures(rates)
    sides = np.array(SIDE_NAMES)[plan.sides]
    numbers["by"] = {
        column: _by_group(compared, values, name, rates)
        for column, values in ({"hand": sides} | inputs.groups).items()
    }
    return Evaluation(name, rates, draws, numbers)


def key_figures(rates: ErrorRates) -> dict[str, float]:
    """Return d′, FMR100 and FMR1000: the FNMR at an FMR of one in 100, and in 1000."""
    lowest = {f"fmr{n}": rates.fnmr(rates.threshold_for_fmr(1 / n)) for n in (100, 1000)}
    return {"d_prime": rounded(rates.d_prime())} | {n: rounded(v) for n, v in lowest.items()}


def operating_point(
    rates: ErrorRates, draws: Bootstrap, fmr: float, fta: dict[str, Any]
) -> dict[str, Any]:
    """Return the errors at the lowest threshold that keeps an FMR on these scores."""
    threshold = rates.threshold_for_fmr(fmr)
    matched = rate_numbers(
        rates.false_matches(threshold), rates.nonmated.size, draws.fmr_interval(threshold)
    )
    missed = rate_numbers(
        rates.false_non_matches(threshold), rates.mated.size, draws.fnmr_interval(fmr)
    )
    low, high = missed["interval_95"]
    fta_low, fta_high = fta["interval_95"]
    return {
        "fmr_target": fmr,
        "threshold": rounded(threshold),
        "fmr": matched,
        "fnmr": missed,
        "gfrr": {
            "share": rounded(generalised_false_reject_rate(missed["share"], fta["share"])),
            "interval_95": [
                rounded(generalised_false_reject_rate(low, fta_low)),
                rounded(generalised_false_reject_rate(high, fta_high)),
            ],
            "supported": missed["supported"] and matched["supported"],
        },
        "supported": matched["supported"],
    }


def generalised_false_reject_rate(fnmr: float, fta: float) -> float:
    """Return the GFRR: two acquisitions and a comparison."""
    return 1 - (1 - fnmr) * (1 - fta) ** 2


def identification(compared: Compared, plan: Plan, place: int) -> dict[str, Any]:
    """Return the errors of searches: rank 1, and open-set."""
    mate, rank, rivals = compared.searches[:, place].T
    mated = rank > 0
    gallery = np.unique(plan.identities[_gallery(plan)])
    return {
        "enrolled_palms": int(gallery.size),
        "enrolled_pictures": int(_gallery(plan).sum()),
        "mated_searches": int(mated.sum()),
        "rank_1": rate_numbers(int((rank == 1).sum()), int(mated.sum())),
        "open_set": _open_set(mate.astype(np.float32), rank, rivals.astype(np.float32)),
    }


def _gallery(plan: Plan) -> NDArray[np.bool_]:
    places = np.arange(len(plan.rows))
    return np.asarray(places < plan.gallery_ends)


def _open_set(
    mate: NDArray[np.float32], rank: NDArray[np.float64], rivals: NDArray[np.float32]
) -> list[dict[str, Any]]:
    """Count each search with its own palm, and without it as one of a person not enrolled.

    A mated search fails if the mate is below the threshold or not first (rank 1).
    """
    mated, best = rank > 0, np.sort(rivals[rivals > ABSENT])
    points = []
    for fpir in FPIRS if best.size and mated.any() else ():
        allowed = int(fpir * best.size + 1e-9)
        threshold = np.nextafter(best[best.size - 1 - allowed], np.float32(np.inf))
        missed = int(((mate[mated] < threshold) | (rank[mated] > 1)).sum())
        positive = rate_numbers(int((best >= threshold).sum()), int(best.size))
        points.append(
            {
                "fpir_target": fpir,
                "threshold": rounded(float(threshold)),
                "fpir": positive,
                "fnir": rate_numbers(missed, int(mated.sum())),
                "supported": positive["supported"],
            }
        )
    return points


def _by_group(
    compared: Compared, values: NDArray[np.str_], name: str, whole: ErrorRates
) -> dict[str, dict[str, Any]]:
    """Return the errors of the probes of each value, at the thresholds of all."""
    numbers = {}
    for value in np.unique(values):
        mated, nonmated = (
            scores[name][values[np.asarray(pairs[:, 0])] == value]
            for scores, pairs in (
                (compared.mated, compared.mated_pairs),
                (compared.nonmated, compared.nonmated_pairs),
            )
        )
        if not mated.size or not nonmated.size:
            continue
        rates = error_rates(mated, nonmated)
        numbers[str(value)] = {
            "eer": rounded(rates.equal_error_rate()),
            "at": [errors_at(rates, whole.threshold_for_fmr(f), f) for f in FMRS[1:3]],
        }
    return numbers


def errors_at(rates: ErrorRates, threshold: float, fmr: float) -> dict[str, Any]:
    """Return the errors at a threshold for an FMR, with exact intervals."""
    return {
        "fmr_target": fmr,
        "fmr": rate_numbers(rates.false_matches(threshold), rates.nonmated.size),
        "fnmr": rate_numbers(rates.false_non_matches(threshold), rates.mated.size),
    }

"""Measure one set of palms: acquire, compare, evaluate."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from benchmarks.accuracy.acquisition import (
    NEGATIVE,
    Acquired,
    NegativeSeen,
    NotAcquired,
    acquire,
)
from benchmarks.accuracy.plan import Plan, plan_comparisons
from benchmarks.accuracy.rates.checks import calibration_check, gallery_sizes, palms_missed
from benchmarks.accuracy.rates.evaluation import Evaluation, EvaluationInput, evaluate
from benchmarks.accuracy.scoring.compare_all import Compared, ComparisonContext, compare_all
from benchmarks.accuracy.scoring.matcher import (
    FUSED,
    OURS,
    VECTOR,
    Features,
    MatchedPictures,
    Methods,
    try_pictures,
)
from benchmarks.datasets import DatasetFault, PalmSet, Picture, require_pictures, side_of
from benchmarks.measurement import rate_numbers, rounded
from engine.comparison.compare import VectorPenalty, load_vector_penalty
from engine.decision.calibration import Calibration, load_calibration
from engine.extract import load_extractor
from engine.settings import EngineSettings
from engine.types import ExtractorId

StartStep = Callable[[str, int], Callable[[int], None]]
"""Starts a step of so many units, and returns the function that reports units as done."""


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a run; ``by``: columns whose values are reported one by one."""

    methods: Methods
    seed: int = 1
    workers: int = 1
    by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Outcomes of all pictures; ``seen_negatives``: rows."""

    acquired: list[Acquired] = field(repr=False)
    failed: list[NotAcquired] = field(repr=False)
    seen_negatives: list[int] = field(repr=False)

    @property
    def failed_rows(self) -> list[int]:
        """Rows without a template, negatives included."""
        rows = [one.row for one in self.failed]
        return sorted([*rows, *self.seen_negatives])


@dataclass(frozen=True, slots=True)
class Measured:
    """Results of a run.

    Attributes:
        evaluations: of each method, the requested one first.
        calibration: of the requested method, or None.
    """

    palms: PalmSet
    extractor: ExtractorId
    outcomes: Outcomes
    plan: Plan
    compared: Compared
    evaluations: list[Evaluation]
    calibration: Calibration | None
    numbers: dict[str, Any] = field(repr=False)


def measure(palms: PalmSet, options: Options, start_step: StartStep) -> Measured:
    """Measure a set."""
    _require_columns(palms, options.by)
    require_pictures(palms)
    extractor = load_extractor(EngineSettings()).extractor_id
    outcomes = _acquire(palms, options, start_step)
    acquisition = acquisition_numbers(palms.pictures, outcomes)
    plan = plan_comparisons(palms.pictures, outcomes.acquired)
    features = replace(
        _features(outcomes.acquired, plan, options.methods, load_vector_penalty(extractor)),
        matchers=_matchers(palms, plan, options, start_step),
    )
    context = ComparisonContext(plan, features, options.methods.names)
    advance = start_step("comparing", int(plan.comparison_counts().sum()))
    compared = compare_all(context, workers=options.workers, advance=advance)
    groups = {
        name: np.array([palms.pictures[row].columns[name] or "–" for row in plan.rows])
        for name in options.by
    }
    inputs = EvaluationInput(compared, plan, acquisition["fta"], options.seed, groups)
    start_step("evaluating", 1)
    names = options.methods.names
    evaluations = [evaluate(name, place, inputs) for place, name in enumerate(names)]
    calibration = load_calibration(extractor) if evaluations[0].name in OURS else None
    measured = Measured(
        palms, extractor, outcomes, plan, compared, evaluations, calibration, {}
    )
    measured.numbers.update(_numbers(measured, acquisition))
    measured.numbers["matchers"] = _matcher_numbers(features.matchers, compared)
    return measured


def _require_columns(palms: PalmSet, names: Sequence[str]) -> None:
    known = set(palms.pictures[0].columns) if palms.pictures else set()
    if missing := [name for name in names if name not in known]:
        raise DatasetFault(f"{palms.name} has no column {missing[0]}")


def side_warning(acquisition: dict[str, Any]) -> str:
    """Return advice if most hands were found as the other hand; empty otherwise."""
    wrong = acquisition["wrong_side"]
    if 2 * wrong["count"] <= wrong["total"]:
        return ""
    return (
        f"{wrong['count']} of {wrong['total']} hands were found as the other hand. Are the"
        " pictures mirrored, as selfies are, or left and right swapped in the manifest?"
    )


def acquisition_numbers(pictures: Sequence[Picture], outcomes: Outcomes) -> dict[str, Any]:
    """Return failures to acquire, hands found in negatives, and wrong sides."""
    failed = [one for one in outcomes.failed if pictures[one.row].kind != NEGATIVE]
    tried = sum(picture.kind != NEGATIVE for picture in pictures)
    unknown = sum(not p.identity and p.kind != NEGATIVE for p in pictures)
    unknown_failed = sum(not pictures[one.row].identity for one in failed)
    located = [one for one in outcomes.acquired if pictures[one.row].kind == "hand"]
    sides = [(side_of(pictures[one.row].hand), one.hand) for one in located]
    known_sides = [(given, found) for given, found in sides if given is not None]
    return {
        "fta": rate_numbers(len(failed), tried),
        "fta_by_reason": dict(sorted(Counter(one.reason for one in failed).items())),
        "fta_known_palms": rate_numbers(len(failed) - unknown_failed, tried - unknown),
        "fta_unknown_palms": rate_numbers(unknown_failed, unknown),
        "negatives_taken_for_hands": rate_numbers(
            len(outcomes.seen_negatives), len(pictures) - tried
        ),
        "wrong_side": rate_numbers(
            sum(given is not found for given, found in known_sides), len(known_sides)
        ),
    }


def _acquire(palms: PalmSet, options: Options, start_step: StartStep) -> Outcomes:
    done, outcomes = start_step("acquiring", len(palms.pictures)), []
    for one in acquire(palms.pictures, options.methods.networks, workers=options.workers):
        outcomes.append(one)
        done(1)
    return Outcomes(
        [one for one in outcomes if isinstance(one, Acquired)],
        [one for one in outcomes if isinstance(one, NotAcquired)],
        [one.row for one in outcomes if isinstance(one, NegativeSeen)],
    )


def _matchers(
    palms: PalmSet, plan: Plan, options: Options, start_step: StartStep
) -> dict[str, MatchedPictures]:
    pictures = [palms.pictures[row] for row in plan.rows]
    return {
        matcher.name: try_pictures(
            matcher,
            pictures,
            workers=options.workers,
            advance=start_step(f"acquiring by {matcher.name}", len(pictures)),
        )
        for matcher in options.methods.matchers
    }


def _matcher_numbers(
    matchers: dict[str, MatchedPictures], compared: Compared
) -> dict[str, dict[str, Any]]:
    """Return the failures of commands to acquire, and comparisons that they did not make."""
    return {
        name: {
            "fta": rate_numbers(int(one.failed.sum()), one.failed.size),
            "comparisons_failed": compared.failed[name],
        }
        for name, one in matchers.items()
    }


def _features(
    acquired: Sequence[Acquired], plan: Plan, methods: Methods, penalty: VectorPenalty
) -> Features:
    ordered = [acquired[place] for place in plan.order]
    names = (VECTOR, *(path.name for path in methods.networks))
    if not ordered:
        nothing = np.zeros((0, 1), np.float32)
        return Features(np.zeros((0, 512), np.uint8), dict.fromkeys(names, nothing), penalty)
    vectors = {
        name: np.stack([one.vectors[place] for one in ordered])
        for place, name in enumerate(names)
    }
    codes, dense = np.stack([one.code for one in ordered]), [one.dense for one in ordered]
    return Features(codes, vectors, penalty, dense=dense)


def _numbers(measured: Measured, acquisition: dict[str, Any]) -> dict[str, Any]:
    first = measured.evaluations[0]
    numbers: dict[str, Any] = {"set": _set_numbers(measured), "acquisition": acquisition}
    scores = measured.compared.mated
    if measured.calibration and first.rates and first.draws:
        numbers["calibration"] = calibration_check(
            measured.calibration, first.rates, first.draws
        )
        numbers["palms_missed"] = palms_missed(
            scores[first.name],
            measured.plan.identities[measured.compared.mated_pairs[:, 0]],
            measured.calibration,
        )
        numbers["gallery_sizes"] = gallery_sizes(
            scores[first.name],
            scores.get(FUSED, scores[first.name]),
            measured.compared.mated_pairs,
            measured.plan,
            measured.calibration,
        )
    return numbers | {
        "methods": {one.name: one.numbers for one in measured.evaluations},
        "times": _times(measured),
    }


def _set_numbers(measured: Measured) -> dict[str, Any]:
    pictures = measured.palms.pictures
    known = [picture for picture in pictures if picture.identity]
    has_people = any(picture.subject != picture.identity for picture in known)
    return {
        "pictures": len(pictures),
        "by_kind": dict(sorted(Counter(picture.kind for picture in pictures).items())),
        "palms": len({picture.identity for picture in known}),
        "people": len({picture.subject for picture in known}) if has_people else None,
        "pictures_without_identity": sum(
            not picture.identity and picture.kind != NEGATIVE for picture in pictures
        ),
        "sessions": measured.plan.session_count,
        "templates": len(measured.plan.rows),
        "bootstrap_over": "subjects" if has_people else "palms",
    }


def _times(measured: Measured) -> dict[str, Any]:
    compared = measured.compared
    made = int(measured.plan.comparison_counts().sum())
    rates = {
        name: rounded(made / seconds) for name, seconds in compared.times_s.items() if seconds
    }
    return {
        "comparisons_per_core_second": rates if made else {},
        "comparisons_wall_s": rounded(compared.wall_s),
    }

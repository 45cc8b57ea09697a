"""Count who gets in: enrolment and logins with real pictures, over HTTP.

Each login is answered with one picture from an unknown phone: an identification among everyone
enrolled. The ID token says who was identified; each palm's subject is known from one login on
its own phone. Palms that are not enrolled must not get in.

A plan says which palms are enrolled, from which pictures, and which answer logins. No picture
is used twice, and the seed chooses who is not enrolled, not the result.
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

from rich.progress import track

from benchmarks.console import BenchmarkFault, console
from benchmarks.datasets import PalmSet, Picture
from benchmarks.journey.login_flow import (
    Enrolment,
    LoginFlow,
    NotAcquired,
    NotMatched,
    SignedIn,
)
from benchmarks.measurement import percentile, rate_numbers

Item = TypeVar("Item")

ENROLLED_SHARE: Final = 5 / 6
"""Largest share of palms that is enrolled; the others are not."""

SPARE_SAMPLES: Final = 2
"""Unusable pictures that may be replaced by the next ones at enrolment."""


@dataclass(frozen=True, slots=True)
class PalmPlan:
    """One palm to enrol.

    Attributes:
        pictures: all of it, in manifest order; the first ones enrol.
    """

    identity: str = field(repr=False)
    pictures: tuple[Picture, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class JourneyPlan:
    """The people of a journey, enrolled and not enrolled.

    Attributes:
        unenrolled: pictures of palms that are not enrolled.
    """

    samples: int
    palms: tuple[PalmPlan, ...] = field(repr=False)
    unenrolled: tuple[Picture, ...] = field(repr=False)


def plan_journey(palms: PalmSet, *, enrol: int, samples: int, seed: int) -> JourneyPlan:
    """Choose palms to enrol; all others are not enrolled."""
    known = {
        name: [picture for picture in pictures if picture.kind == "hand"]
        for name, pictures in palms.by_identity().items()
    }
    fit = sorted(name for name, pictures in known.items() if len(pictures) > samples)
    random.Random(seed).shuffle(fit)  # noqa: S311 -- repeatable, not secret
    chosen = fit[: min(enrol, int(ENROLLED_SHARE * len(known)))]
    unenrolled = [
        picture for name in sorted(known.keys() - set(chosen)) for picture in known[name]
    ]
    unenrolled += [picture for picture in palms.unlabelled() if picture.kind == "hand"]
    return JourneyPlan(
        samples, tuple(PalmPlan(name, tuple(known[name])) for name in chosen), tuple(unenrolled)
    )


def limited(items: Sequence[Item], limit: int | None, seed: int) -> list[Item]:
    """Return at most ``limit`` items, chosen by the seed; all for None."""
    if limit is None or len(items) <= limit:
        return list(items)
    return random.Random(seed).sample(list(items), limit)  # noqa: S311 -- repeatable


class JourneyFault(BenchmarkFault):
    """The benchmark cannot tell who was identified."""


@dataclass(slots=True)
class Tally:
    """Outcomes of one kind of attempt, and pictures that were refused, by reason (FTA)."""

    outcomes: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)

    def rate(self, outcome: str) -> dict[str, Any]:
        """Return the share of an outcome among those with a template."""
        return rate_numbers(self.outcomes[outcome], self.outcomes.total())

    def acquisition(self) -> dict[str, Any]:
        """Return the failures to acquire."""
        failed = self.refused.total()
        return {
            "failure_to_acquire": rate_numbers(failed, self.outcomes.total() + failed),
            "failure_to_acquire_by_reason": dict(self.refused),
        }


@dataclass(slots=True)
class JourneyCounts:
    """Counts of what happened.

    Attributes:
        not_enrolled: palms, by reason (FTE).
    """

    enrolled: int = 0
    not_enrolled: Counter[str] = field(default_factory=Counter)
    samples: Tally = field(default_factory=Tally)
    logins: Tally = field(default_factory=Tally)
    unenrolled: Tally = field(default_factory=Tally)


@dataclass(frozen=True, slots=True)
class EnrolledPalm:
    """An enrolled palm, its subject, and its unused pictures."""

    subject: str = field(repr=False)
    pictures: list[Path] = field(repr=False)


def run_journey(
    flow: LoginFlow,
    plan: JourneyPlan,
    *,
    probe_limit: int | None,
    seed: int,
) -> JourneyCounts:
    """Enrol, find the subjects, answer logins, and let the others try.

    Raises:
        JourneyFault: two palms were given one subject.
    """
    counts = JourneyCounts()
    palms = list(_enrol_all(flow, plan, counts))
    if len({palm.subject for palm in palms}) != len(palms):
        raise JourneyFault("two palms share a subject")
    logins = [(palm, picture) for palm in palms for picture in palm.pictures]
    tried = limited(logins, probe_limit, seed)
    for palm, picture in track(tried, "logins", console=console):
        _count(flow, picture, palm.subject, counts.logins)
    others = limited(plan.unenrolled, probe_limit, seed)
    for other in track(others, "unenrolled", console=console):
        _count(flow, other.path, None, counts.unenrolled)
    return counts


def _enrol_all(
    flow: LoginFlow,
    plan: JourneyPlan,
    counts: JourneyCounts,
) -> Iterator[EnrolledPalm]:
    for palm in track(plan.palms, "enrolments", console=console):
        pictures = [picture.path for picture in palm.pictures]
        done = flow.enrol(pictures, samples=plan.samples, spare=SPARE_SAMPLES)
        counts.samples.refused.update(done.refused)
        counts.samples.outcomes["accepted"] += len(done.samples)
        if done.fault is not None:
            counts.not_enrolled[done.fault] += 1
            continue
        counts.enrolled += 1
        yield EnrolledPalm(_find_subject(flow, done), pictures[done.used :])


def _find_subject(flow: LoginFlow, done: Enrolment) -> str:
    match flow.answer(done.samples[0], phone=done.phone):
        case SignedIn(subject):
            return subject
        case other:
            raise JourneyFault(f"an enrolled picture on the enrolled phone gave {other}")


def _count(flow: LoginFlow, picture: Path, subject: str | None, tally: Tally) -> None:
    """Count one login; ``subject``: whom it should identify, None if not enrolled."""
    match flow.answer(picture):
        case SignedIn(found):
            tally.outcomes["identified" if found == subject else "falsely_matched"] += 1
        case NotMatched():
            tally.outcomes["not_matched"] += 1
        case NotAcquired(reason):
            tally.refused[reason] += 1


def summary(counts: JourneyCounts, times_s: dict[str, list[float]]) -> dict[str, Any]:
    """Return rates with intervals, ready for JSON."""
    failed = counts.not_enrolled.total()
    outcomes = ("identified", "not_matched", "falsely_matched")
    return {
        "enrolment": {
            "failure_to_enrol": rate_numbers(failed, counts.enrolled + failed),
            "failure_to_enrol_by_reason": dict(counts.not_enrolled),
            **counts.samples.acquisition(),
        },
        "logins": {
            **{outcome: counts.logins.rate(outcome) for outcome in outcomes},
            **counts.logins.acquisition(),
        },
        "unenrolled": {
            "let_in": counts.unenrolled.rate("falsely_matched"),
            **counts.unenrolled.acquisition(),
        },
        "times_ms": {
            name: {
                "count": len(values),
                "p50": round(1000 * percentile(values, 0.5), 1),
                "p95": round(1000 * percentile(values, 0.95), 1),
            }
            for name, values in times_s.items()
        },
    }

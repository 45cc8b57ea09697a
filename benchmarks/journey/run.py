"""Count who gets in: enrolment and logins with real pictures, over HTTP.

Each login is answered with one picture from an unknown phone: an identification among everyone
enrolled. The ID token says who was identified; each palm's subject is known from one login on
its own phone. Palms that are not enrolled must not get in.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from benchmarks.errors import BenchmarkFault
from benchmarks.harness.login_flow import (
    Enrolment,
    LoginFlow,
    NotAcquired,
    NotMatched,
    SignedIn,
)
from benchmarks.journey.plan import SPARE_SAMPLES, limited
from benchmarks.measurement.rates import percentile, rate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from benchmarks.journey.plan import JourneyPlan


class JourneyFault(BenchmarkFault):
    """The benchmark cannot tell who was identified."""


@dataclass(slots=True)
class JourneyCounts:
    """Counts of what happened.

    Attributes:
        not_enrolled: palms, by reason (FTE).
        enrolment_refused: pictures at enrolment, by reason (FTA).
        refused: pictures at logins, by reason (FTA).
        strangers_refused: strangers' pictures, by reason.
    """

    enrolled: int = 0
    not_enrolled: Counter[str] = field(default_factory=Counter)
    enrolment_refused: Counter[str] = field(default_factory=Counter)
    enrolment_samples: int = 0
    identified: int = 0
    not_matched: int = 0
    falsely_matched: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    strangers_out: int = 0
    strangers_in: int = 0
    strangers_refused: Counter[str] = field(default_factory=Counter)


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
    track_progress: Callable[[str, list[Any]], Iterable[Any]],
) -> JourneyCounts:
    """Enrol, find the subjects, answer logins, and try the strangers.

    Raises:
        JourneyFault: two palms were given one subject.
    """
    counts = JourneyCounts()
    palms = list(_enrol_all(flow, plan, counts, track_progress))
    if len({palm.subject for palm in palms}) != len(palms):
        raise JourneyFault("two palms share a subject")
    logins = [(palm, picture) for palm in palms for picture in palm.pictures]
    for palm, picture in track_progress("logins", limited(logins, probe_limit, seed)):
        _count_login(flow, palm, picture, counts)
    for stranger in track_progress("strangers", limited(plan.strangers, probe_limit, seed)):
        _count_stranger(flow, stranger.path, counts)
    return counts


def _enrol_all(
    flow: LoginFlow,
    plan: JourneyPlan,
    counts: JourneyCounts,
    track_progress: Callable[[str, list[Any]], Iterable[Any]],
) -> Iterator[EnrolledPalm]:
    for palm in track_progress("enrolments", list(plan.palms)):
        pictures = [picture.path for picture in palm.pictures]
        done = flow.enrol(pictures, samples=plan.samples, spare=SPARE_SAMPLES)
        counts.enrolment_refused.update(done.refused)
        counts.enrolment_samples += len(done.samples)
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


def _count_login(
    flow: LoginFlow, palm: EnrolledPalm, picture: Path, counts: JourneyCounts
) -> None:
    match flow.answer(picture):
        case SignedIn(subject) if subject == palm.subject:
            counts.identified += 1
        case SignedIn():
            counts.falsely_matched += 1
        case NotMatched():
            counts.not_matched += 1
        case NotAcquired(reason):
            counts.refused[reason] += 1


def _count_stranger(flow: LoginFlow, picture: Path, counts: JourneyCounts) -> None:
    match flow.answer(picture):
        case SignedIn():
            counts.strangers_in += 1
        case NotMatched():
            counts.strangers_out += 1
        case NotAcquired(reason):
            counts.strangers_refused[reason] += 1


def summary(counts: JourneyCounts, times_s: dict[str, list[float]]) -> dict[str, Any]:
    """Return rates with intervals, ready for JSON."""
    accepted = counts.identified + counts.not_matched + counts.falsely_matched
    refused = counts.refused.total()
    strangers = counts.strangers_in + counts.strangers_out
    wanted = counts.enrolled + counts.not_enrolled.total()
    samples = counts.enrolment_samples + counts.enrolment_refused.total()
    return {
        "enrolment": {
            "failure_to_enrol": _rate(counts.not_enrolled.total(), wanted),
            "failure_to_enrol_by_reason": dict(counts.not_enrolled),
            "failure_to_acquire": _rate(counts.enrolment_refused.total(), samples),
            "failure_to_acquire_by_reason": dict(counts.enrolment_refused),
        },
        "logins": {
            "identified": _rate(counts.identified, accepted),
            "not_matched": _rate(counts.not_matched, accepted),
            "falsely_matched": _rate(counts.falsely_matched, accepted),
            "failure_to_acquire": _rate(refused, accepted + refused),
            "failure_to_acquire_by_reason": dict(counts.refused),
        },
        "strangers": {
            "let_in": _rate(counts.strangers_in, strangers),
            "failure_to_acquire": _rate(
                counts.strangers_refused.total(), strangers + counts.strangers_refused.total()
            ),
            "failure_to_acquire_by_reason": dict(counts.strangers_refused),
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


def _rate(count: int, total: int) -> dict[str, Any]:
    """Return a rate with its interval; share None if nothing was tried."""
    measured = rate(count, total)
    return {
        "count": count,
        "total": total,
        "share": round(measured.share, 5) if total else None,
        "interval_95": [round(measured.low, 5), round(measured.high, 5)],
    }

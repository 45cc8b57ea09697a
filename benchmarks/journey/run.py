"""How many people get in with which pictures: the whole road, on real pictures, over HTTP.

Each palm is an account of its own with one phone. A login is answered with one picture from a
phone nobody knows, so it is an identification among everybody enrolled. Who it was is told by
the ID token alone: each palm's subject is learned once, from its own phone with a picture it
was enrolled with. Palms that are not enrolled try too, and must be let in nowhere.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from benchmarks.harness.login_flow import Enrolment, LetIn, NotAcquired, NotMatched, Road
from benchmarks.journey.plan import SPARE_SAMPLES, limited
from benchmarks.measurement.rates import percentile, rate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from benchmarks.journey.plan import JourneyPlan


class JourneyFault(Exception):
    """The benchmark could not tell what it set out to tell."""


@dataclass(slots=True)
class Tally:
    """What happened.

    Attributes:
        enrolled: palms.
        not_enrolled: palms, by reason (FTE).
        enrolment_refused: pictures at enrolment, by reason (FTA).
        enrolment_samples: pictures accepted at enrolment.
        identified: logins that gave the palm's own subject.
        not_matched: logins that gave nobody.
        falsely_matched: logins that gave somebody else.
        refused: pictures at logins, by reason (FTA).
        strangers_out: strangers matched with nobody.
        strangers_in: strangers matched with somebody.
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
class KnownPalm:
    """An enrolled palm, its subject, and the pictures it has not used yet."""

    subject: str = field(repr=False)
    pictures: list[Path] = field(repr=False)


def walk(
    road: Road,
    plan: JourneyPlan,
    *,
    probe_limit: int | None,
    seed: int,
    track: Callable[[str, list[Any]], Iterable[Any]],
) -> Tally:
    """Enrol, learn the subjects, answer logins, and send the strangers.

    Args:
        road: how.
        plan: who.
        probe_limit: at most so many logins, and as many strangers; None for all.
        seed: chooses them.
        track: shows progress over a list while it is walked through.

    Raises:
        JourneyFault: two palms were given one subject, so nobody can be told apart.
    """
    tally = Tally()
    palms = list(_enrol_all(road, plan, tally, track))
    if len({palm.subject for palm in palms}) != len(palms):
        raise JourneyFault("two palms share a subject")
    logins = [(palm, picture) for palm in palms for picture in palm.pictures]
    for palm, picture in track("logins", limited(logins, probe_limit, seed)):
        _count_login(road, palm, picture, tally)
    for stranger in track("strangers", limited(plan.strangers, probe_limit, seed)):
        _count_stranger(road, stranger.path, tally)
    return tally


def _enrol_all(
    road: Road,
    plan: JourneyPlan,
    tally: Tally,
    track: Callable[[str, list[Any]], Iterable[Any]],
) -> Iterator[KnownPalm]:
    """Enrol each palm and learn its subject."""
    for palm in track("enrolments", list(plan.palms)):
        pictures = [picture.path for picture in palm.pictures]
        done = road.enrol(pictures, samples=plan.samples, spare=SPARE_SAMPLES)
        tally.enrolment_refused.update(done.refused)
        tally.enrolment_samples += len(done.samples)
        if done.fault is not None:
            tally.not_enrolled[done.fault] += 1
            continue
        tally.enrolled += 1
        yield KnownPalm(_learn(road, done), pictures[done.used :])


def _learn(road: Road, done: Enrolment) -> str:
    """Return the subject of a palm that was just enrolled.

    Raises:
        JourneyFault: it is not recognised by a picture it was enrolled with.
    """
    match road.answer(done.samples[0], phone=done.phone):
        case LetIn(subject):
            return subject
        case other:
            raise JourneyFault(f"an enrolled picture on the enrolled phone gave {other}")


def _count_login(road: Road, palm: KnownPalm, picture: Path, tally: Tally) -> None:
    """Let an enrolled palm log in."""
    match road.answer(picture):
        case LetIn(subject) if subject == palm.subject:
            tally.identified += 1
        case LetIn():
            tally.falsely_matched += 1
        case NotMatched():
            tally.not_matched += 1
        case NotAcquired(reason):
            tally.refused[reason] += 1


def _count_stranger(road: Road, picture: Path, tally: Tally) -> None:
    """Let a palm that is not enrolled try."""
    match road.answer(picture):
        case LetIn():
            tally.strangers_in += 1
        case NotMatched():
            tally.strangers_out += 1
        case NotAcquired(reason):
            tally.strangers_refused[reason] += 1


def summary(tally: Tally, times_s: dict[str, list[float]]) -> dict[str, Any]:
    """Return the tally as rates with intervals, ready for JSON."""
    accepted = tally.identified + tally.not_matched + tally.falsely_matched
    refused = tally.refused.total()
    strangers = tally.strangers_in + tally.strangers_out
    wanted = tally.enrolled + tally.not_enrolled.total()
    samples = tally.enrolment_samples + tally.enrolment_refused.total()
    return {
        "enrolment": {
            "failure_to_enrol": _rate(tally.not_enrolled.total(), wanted),
            "failure_to_enrol_by_reason": dict(tally.not_enrolled),
            "failure_to_acquire": _rate(tally.enrolment_refused.total(), samples),
            "failure_to_acquire_by_reason": dict(tally.enrolment_refused),
        },
        "logins": {
            "identified": _rate(tally.identified, accepted),
            "not_matched": _rate(tally.not_matched, accepted),
            "falsely_matched": _rate(tally.falsely_matched, accepted),
            "failure_to_acquire": _rate(refused, accepted + refused),
            "failure_to_acquire_by_reason": dict(tally.refused),
        },
        "strangers": {
            "let_in": _rate(tally.strangers_in, strangers),
            "failure_to_acquire": _rate(
                tally.strangers_refused.total(), strangers + tally.strangers_refused.total()
            ),
            "failure_to_acquire_by_reason": dict(tally.strangers_refused),
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
    """Return a rate with its interval, ready for JSON; of nothing tried there is no share."""
    measured = rate(count, total)
    return {
        "count": count,
        "total": total,
        "share": round(measured.share, 5) if total else None,
        "interval_95": [round(measured.low, 5), round(measured.high, 5)],
    }

"""Count who gets in: enrolment and logins with real pictures, over HTTP.

Each sign-in is made on an unknown phone: an identification among everyone enrolled. The ID
token says who was identified; each palm's subject is known from one login on its own phone.
Palms that are not enrolled must not get in.

A plan says which palms are enrolled, from which pictures; the others sign in. An attempt of n
frames is n different pictures of one palm and session. Each picture leads one sign-in; its next
attempts begin at the pictures after those, and a session begins again at its end. So attempts
share pictures: intervals are too narrow. Pictures of unknown palms are attempts of one frame.

The first attempt of each sign-in counts as an attempt; a sign-in is over after three, of which
some may have been failures to acquire.
"""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from benchmarks.console import BenchmarkFault, track
from benchmarks.datasets import DatasetFault, PalmSet, Picture
from benchmarks.journey.login_flow import (
    Disputed,
    Enrolment,
    LoginFlow,
    LoginOutcome,
    NotAcquired,
    NotMatched,
    SignedIn,
)
from benchmarks.measurement import percentile, rate_numbers

ENROLLED_SHARE: Final = 5 / 6
"""Largest share of palms that is enrolled; the others are not."""

ATTEMPTS: Final = 3
"""Of one sign-in: the service ends it after so many that match no account."""

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


def plan_journey(
    palms: PalmSet, *, enrol: int, samples: int, seed: int, others: PalmSet | None = None
) -> JourneyPlan:
    """Choose palms to enrol; all others are not enrolled. With ``others``, these are not."""
    known = {
        name: [picture for picture in pictures if picture.kind == "hand"]
        for name, pictures in palms.by_identity().items()
    }
    fit = sorted(name for name, pictures in known.items() if len(pictures) > samples)
    random.Random(seed).shuffle(fit)  # noqa: S311 -- repeatable, not secret
    share = ENROLLED_SHARE if others is None else 1
    chosen = fit[: min(enrol, int(share * len(known)))]
    if not chosen:
        raise DatasetFault(f"no palm of {palms.name} has more than {samples} pictures")
    unenrolled = [
        picture for name in sorted(known.keys() - set(chosen)) for picture in known[name]
    ]
    unenrolled += [picture for picture in palms.unlabelled() if picture.kind == "hand"]
    if others is not None:
        unenrolled = [picture for picture in others.pictures if picture.kind == "hand"]
    return JourneyPlan(
        samples, tuple(PalmPlan(name, tuple(known[name])) for name in chosen), tuple(unenrolled)
    )


def sign_ins(pictures: Sequence[Picture], frames: int) -> list[list[list[Path]]]:
    """Return the attempts of each sign-in, as the frames that are sent together."""
    sessions: dict[tuple[str, ...], list[Path]] = {}
    for each in pictures:
        palm = (each.identity, each.session) if each.identity else ("", "", str(each.path))
        sessions.setdefault(palm, []).append(each.path)
    return [
        [_following(own, at + turn * frames, frames) for turn in range(ATTEMPTS)]
        for own in sessions.values()
        for at in range(len(own))
    ]


def _following(pictures: Sequence[Path], start: int, count: int) -> list[Path]:
    size = len(pictures)
    return [pictures[(start + more) % size] for more in range(min(count, size))]


@dataclass(slots=True)
class Tally:
    """Outcomes of one kind of attempt or sign-in; failures to acquire by their reason (FTA)."""

    outcomes: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)

    def add(self, outcome: LoginOutcome, subject: str | None) -> None:
        """Count an outcome; ``subject``: whom it should identify, None if not enrolled."""
        match outcome:
            case SignedIn(found):
                self.outcomes["identified" if found == subject else "falsely_matched"] += 1
            case NotMatched():
                self.outcomes["not_matched"] += 1
            case Disputed():
                self.outcomes["disputed"] += 1
            case NotAcquired(reason):
                self.refused[reason] += 1

    def summary(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the share of each outcome, failures to acquire in the total."""
        failed = self.refused.total()
        total = self.outcomes.total() + failed
        return {
            **{name: rate_numbers(self.outcomes[name], total) for name in names},
            "failure_to_acquire": rate_numbers(failed, total),
            "failure_to_acquire_by_reason": dict(self.refused),
        }


@dataclass(slots=True)
class Signing:
    """Counts of first attempts, and of sign-ins within three."""

    attempts: Tally = field(default_factory=Tally)
    sign_ins: Tally = field(default_factory=Tally)

    def add(self, outcomes: Sequence[LoginOutcome], subject: str | None) -> None:
        """Count a sign-in."""
        self.attempts.add(outcomes[0], subject)
        self.sign_ins.add(outcomes[-1], subject)

    def summary(self, *names: str) -> dict[str, Any]:
        """Return both, ready for JSON."""
        return {
            "attempts": self.attempts.summary(names),
            "sign_ins": self.sign_ins.summary(names),
        }


@dataclass(slots=True)
class JourneyCounts:
    """Counts of what happened.

    Attributes:
        not_enrolled: palms, by reason (FTE).
        enrolled_by: sign-ins of those enrolled, by the number of frames of an attempt.
        others_by: of the others.
    """

    enrolled: int = 0
    not_enrolled: Counter[str] = field(default_factory=Counter)
    samples: Tally = field(default_factory=Tally)
    enrolled_by: dict[int, Signing] = field(default_factory=dict)
    others_by: dict[int, Signing] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EnrolledPalm:
    """An enrolled palm, its subject, and its unused pictures."""

    subject: str = field(repr=False)
    pictures: tuple[Picture, ...] = field(repr=False)


def run_journey(
    flow: LoginFlow,
    plan: JourneyPlan,
    *,
    frames: Sequence[int],
    probe_limit: int | None,
    seed: int,
) -> Iterator[JourneyCounts]:
    """Enrol, find the subjects, sign in, and let the others try; yield the counts of each step.

    Raises:
        BenchmarkFault: two palms were given one subject.
    """
    counts = JourneyCounts()
    palms = []
    for palm in track(plan.palms, "enrolments"):
        palms += _enrolled(flow, palm, plan.samples, counts)
        yield counts
    if len({palm.subject for palm in palms}) != len(palms):
        raise BenchmarkFault("two palms share a subject")
    for size in frames:
        own, others = (
            by.setdefault(size, Signing()) for by in (counts.enrolled_by, counts.others_by)
        )
        ours = [
            (attempts, palm.subject)
            for palm in palms
            for attempts in sign_ins(palm.pictures, size)
        ]
        theirs = [(attempts, None) for attempts in sign_ins(plan.unenrolled, size)]
        for signing, tries in ((own, ours), (others, theirs)):
            count = min(probe_limit or len(tries), len(tries))
            chosen = random.Random(seed).sample(tries, count)  # noqa: S311 -- repeatable
            for attempts, subject in track(chosen, f"sign-ins, frames: {size}"):
                signing.add(flow.answer(attempts), subject)
                yield counts


def _enrolled(
    flow: LoginFlow, palm: PalmPlan, samples: int, counts: JourneyCounts
) -> list[EnrolledPalm]:
    """Enrol a palm and return it, with its subject; nothing if that failed."""
    done = flow.enrol(
        [each.path for each in palm.pictures], samples=samples, spare=SPARE_SAMPLES
    )
    counts.samples.refused.update(done.refused)
    counts.samples.outcomes["accepted"] += len(done.samples)
    subject = _find_subject(flow, done) if done.fault is None else None
    if subject is None:
        counts.not_enrolled[done.fault or "own_picture_not_matched"] += 1
        return []
    counts.enrolled += 1
    return [EnrolledPalm(subject, palm.pictures[done.used :])]


def _find_subject(flow: LoginFlow, done: Enrolment) -> str | None:
    """Return whom the enrolled pictures identify on the phone that enrolled them."""
    *_, last = flow.answer([[picture] for picture in done.samples[:ATTEMPTS]], phone=done.phone)
    return last.subject if isinstance(last, SignedIn) else None


def summary(counts: JourneyCounts, times_s: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """Return rates with intervals, ready for JSON."""
    failed = counts.not_enrolled.total()
    names = ("identified", "not_matched", "falsely_matched", "disputed")
    return {
        "enrolment": {
            "failure_to_enrol": rate_numbers(failed, counts.enrolled + failed),
            "failure_to_enrol_by_reason": dict(counts.not_enrolled),
            **counts.samples.summary(()),
        },
        "by_frames": {
            str(size): {
                "enrolled": signing.summary(*names),
                "others": counts.others_by[size].summary("falsely_matched"),
            }
            for size, signing in counts.enrolled_by.items()
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

"""Can a clock distinguish an unknown, revoked, foreign and malformed ``user_id``?

Specification §4.6: all four get the same answer. Each round sends one of each kind in random
order over one connection, so that other load affects all alike.
"""

from __future__ import annotations

import random
import secrets
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from benchmarks.harness.login_flow import LoginFlow, SignedIn
from benchmarks.measurement.rates import percentile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    import httpx2

    from benchmarks.harness.relying_party import RelyingParty

LIMIT: Final = 0.05
"""Target: largest difference of two medians, as a share of the smaller."""

_ENROLLED_WITH: Final = 3


class UserIdFault(Exception):
    """The four kinds could not be made, or got different answers."""


@dataclass(frozen=True, slots=True)
class Setup:
    """A service with two relying parties.

    Attributes:
        timed: client whose requests are timed.
    """

    api: str
    timed: RelyingParty
    other: RelyingParty


def user_ids_of_each_kind(
    setup: Setup, pictures: list[Path], http: httpx2.Client
) -> dict[str, str]:
    """Return one ``user_id`` of each kind; enrols a palm and signs in at both clients."""
    at_asking, at_other = (
        LoginFlow(setup.api, party, http) for party in (setup.timed, setup.other)
    )
    enrolment = at_asking.enrol(pictures, samples=_ENROLLED_WITH, spare=len(pictures))
    if enrolment.phone is None:
        raise UserIdFault(f"the palm could not be enrolled: {enrolment.fault}")
    picture = enrolment.samples[0]
    subjects = []
    for flow in (at_asking, at_other):
        answer = flow.answer(picture, phone=enrolment.phone)
        if not isinstance(answer, SignedIn):
            raise UserIdFault(f"the palm could not log in: {answer}")
        subjects.append(answer.subject)
    known = enrolment.phone.connections(picture.read_bytes())
    name = known.connections[-1]
    enrolment.phone.withdraw(name.handle, known.palm_proof)
    return {
        "unknown": _random_user_id(),
        "revoked": subjects[0],
        "foreign": subjects[1],
        "malformed": "x" * len(subjects[0]),
    }


DIFFERING: Final = frozenset({"date", "x-request-id"})
"""Headers that differ between any two requests."""


def measure(
    send: Callable[[str], str], kinds: Mapping[str, str], count: int, seed: int
) -> dict[str, list[float]]:
    """Return wall times in seconds, ``count`` of each kind.

    Raises:
        UserIdFault: two answers differ.
    """
    order, drawn = list(kinds), random.Random(seed)  # noqa: S311 -- an order, no secret
    times_s: dict[str, list[float]] = {kind: [] for kind in kinds}
    told: set[str] = set()
    for turn in range(-(count // 10), count):
        drawn.shuffle(order)
        for kind in order:
            started = time.perf_counter()
            told.add(send(kinds[kind]))
            if turn >= 0:
                times_s[kind].append(time.perf_counter() - started)
    if len(told) != 1:
        raise UserIdFault(f"{len(told)} different answers")
    return times_s


def summary(times_s: Mapping[str, list[float]]) -> dict[str, Any]:
    """Return the medians and their largest difference."""
    medians = {kind: percentile(times, 0.5) for kind, times in times_s.items()}
    low, high = min(medians.values()), max(medians.values())
    return {
        "requests_of_each_kind": min(len(times) for times in times_s.values()),
        "median_ms": {kind: round(1e3 * value, 4) for kind, value in medians.items()},
        "p99_ms": {
            kind: round(1e3 * percentile(times, 0.99), 4) for kind, times in times_s.items()
        },
        "largest_difference": round(high / low - 1, 4),
        "limit": LIMIT,
        "holds": high / low - 1 < LIMIT,
    }


def request_sender(party: RelyingParty) -> Callable[[str], str]:
    """Return a function that sends an authorization request and follows no redirect."""
    state = secrets.token_urlsafe(12)

    def send(user_id: str) -> str:
        answer = party.http.get(party.authorization_url(user_id=user_id, state=state))
        shown = sorted((k, v) for k, v in answer.headers.items() if k.lower() not in DIFFERING)
        return f"{answer.status_code} {shown} {answer.text}"

    return send


def _random_user_id() -> str:
    text = f"{secrets.randbits(128):032x}"
    return f"vu-{text[:8]}-{text[8:12]}-4{text[13:16]}-8{text[17:20]}-{text[20:]}"

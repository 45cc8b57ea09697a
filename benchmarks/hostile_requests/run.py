"""A hundred thousand requests, drawn one after the other, sent by several people at once."""

from __future__ import annotations

import queue
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import httpx2
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from benchmarks.hostile_requests.from_openapi import OpenApiRequest, openapi_requests
from benchmarks.hostile_requests.mutations import Mutation, mutate, mutations
from benchmarks.hostile_requests.odd_values import CANARIES, claim_overrides
from benchmarks.hostile_requests.person import Person
from benchmarks.hostile_requests.raw_http import Response, Request, needs_half_close, send
from benchmarks.hostile_requests.request_builders import BUILDERS
from mobile_api.errors import PhoneError

if TYPE_CHECKING:
    from benchmarks.hostile_requests.installation import Installation
    from benchmarks.hostile_requests.planted_secrets import PlantedSecrets

SENDERS: Final = 6
_BATCH: Final = 1_000
_REQUESTS_PER_PERSON: Final = 1_500
"""Requests after which a person is replaced: accounts are deleted, devices spoilt."""


@dataclass(frozen=True, slots=True)
class DrawnRequest:
    """What was drawn: a kind of request, what its signatures say, what is wrong with it."""

    kind: str
    overrides: dict[str, Any] = field(repr=False)
    applied: tuple[Mutation, ...] = field(repr=False)

    def request_for(self, person: Person) -> Request:
        """Return the request as this person sends it."""
        return mutate(BUILDERS[self.kind](person, self.overrides), self.applied)


@dataclass(frozen=True, slots=True)
class DrawnFromOpenApi:
    """What was drawn from an OpenAPI description, and what is wrong with it besides."""

    request: OpenApiRequest = field(repr=False)
    applied: tuple[Mutation, ...] = field(repr=False)

    @property
    def kind(self) -> str:
        """Method and path, as described."""
        return self.request.label

    def request_for(self, person: Person) -> Request:
        """Return the request as this person sends it."""
        return mutate(self.request.request_for(person), self.applied)


AnyDrawn = DrawnRequest | DrawnFromOpenApi


@dataclass(frozen=True, slots=True)
class BadResponse:
    """A request that got what nobody may get, for whoever mends it."""

    kind: str
    status: int
    octets: bytes = field(repr=False)
    body: bytes = field(repr=False)


@dataclass(slots=True)
class ResponseCounts:
    """What came back, counted by all senders."""

    statuses: Counter[int] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    bad: list[BadResponse] = field(default_factory=list)
    failures: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def count(self, kind: str, answer: Response, octets: bytes) -> None:
        """Count one answer."""
        with self._lock:
            self.kinds[kind] += 1
            self.statuses[answer.status] += 1
            if answer.status >= 500 or answer.hung:
                self.bad.append(BadResponse(kind, answer.status, octets, answer.body))

    def count_failure(self, fault: Exception) -> None:
        """Count a valid request that could not be made: the person must begin anew."""
        with self._lock:
            self.failures[type(fault).__name__] += 1


def draw_requests(
    address: str,
    count: int,
    number: int,
    on_sent: Callable[[AnyDrawn], None],
    until: float = inf,
) -> None:
    """Draw requests and tell of each: one of four from a description, the others from a flow.

    Args:
        address: of the service that describes itself.
        count: how many.
        number: seed; the same one draws the same.
        told: is given each.
        until: when no further ones are drawn, by ``perf_counter``.
    """
    wrong = st.lists(mutations, max_size=3).map(tuple)
    kinds = st.sampled_from(list(BUILDERS))
    flows = st.builds(DrawnRequest, kinds, st.just({}) | claim_overrides, wrong)
    few = st.just(()) | st.lists(mutations, max_size=1).map(tuple)
    by_description = st.builds(DrawnFromOpenApi, openapi_requests(address), few)
    drawn = st.one_of(flows, flows, flows, by_description)
    left, batch = count, 0
    while left > 0 and perf_counter() < until:
        size = min(_BATCH, left)
        _draw_batch(drawn, size, number * 1_000_003 + batch, on_sent)
        left, batch = left - size, batch + 1


def _draw_batch(
    drawn: st.SearchStrategy[AnyDrawn],
    size: int,
    number: int,
    on_sent: Callable[[AnyDrawn], None],
) -> None:
    """Draw some: a new beginning, so that what was drawn before need not be remembered."""
    drawn_requests: list[AnyDrawn] = []

    @seed(number)
    @settings(
        max_examples=size,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(drawn)
    def draw_one(one: AnyDrawn) -> None:
        drawn_requests.append(one)
        on_sent(one)

    draw_one()
    for one in drawn_requests[: max(0, size - len(drawn_requests))]:
        on_sent(one)


@contextmanager
def senders(
    installation: Installation,
    planted: PlantedSecrets,
    counts: ResponseCounts,
    on_sent: Callable[[], None],
) -> Iterator[Callable[[AnyDrawn], None]]:
    """Yield what takes drawn requests; all are sent when the context ends.

    Args:
        scene: where to.
        planted: collects what must be found nowhere.
        tally: counts the answers.
        told: is called after each.
    """
    waiting: queue.Queue[AnyDrawn | None] = queue.Queue(maxsize=200)
    context = _SenderContext(installation, planted, counts, waiting, on_sent)
    threads = [threading.Thread(target=_send_all, args=(context,)) for _ in range(SENDERS)]
    for thread in threads:
        thread.start()
    try:
        yield waiting.put
    finally:
        for _ in threads:
            waiting.put(None)
        for thread in threads:
            thread.join()


@dataclass(frozen=True, slots=True)
class _SenderContext:
    """What all senders share."""

    installation: Installation
    planted: PlantedSecrets
    counts: ResponseCounts
    waiting: queue.Queue[AnyDrawn | None]
    on_sent: Callable[[], None]


def _send_all(context: _SenderContext) -> None:
    """Be one person after the other until nothing waits."""
    goes_on = True
    while goes_on:
        with Person(context.installation, context.planted) as person:
            goes_on = _send_as(person, context)


def _send_as(person: Person, context: _SenderContext) -> bool:
    """Send as one person; False if nothing waits any more."""
    for _ in range(_REQUESTS_PER_PERSON):
        one = context.waiting.get()
        if one is None:
            return False
        context.on_sent()
        try:
            request = one.request_for(person)
        except (PhoneError, httpx2.HTTPError, KeyError, ValueError, LookupError) as fault:
            context.counts.count_failure(fault)
            continue
        octets = request.octets()
        answer = send(
            person.installation.service.port, octets, needs_half_close=needs_half_close(request)
        )
        person.handle_response(answer)
        context.counts.count(one.kind, answer, octets)
    return True


def plant_canaries(planted: PlantedSecrets) -> None:
    """Remember the secrets that nobody gave."""
    for canary in CANARIES:
        planted.add("canary", canary)

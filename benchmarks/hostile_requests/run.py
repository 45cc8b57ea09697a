"""Draw requests one after the other and send them as several people in parallel."""

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
from benchmarks.hostile_requests.raw_http import Request, Response, needs_half_close, send
from benchmarks.hostile_requests.request_builders import BUILDERS
from mobile_api.errors import PhoneError

if TYPE_CHECKING:
    from benchmarks.hostile_requests.installation import Installation
    from benchmarks.hostile_requests.planted_secrets import PlantedSecrets

SENDERS: Final = 6
_BATCH: Final = 1_000
_REQUESTS_PER_PERSON: Final = 1_500
"""Requests before a person is replaced: accounts get deleted, devices broken."""


@dataclass(frozen=True, slots=True)
class DrawnRequest:
    """A request to build: its builder, overridden claims and mutations."""

    kind: str
    overrides: dict[str, Any] = field(repr=False)
    applied: tuple[Mutation, ...] = field(repr=False)

    def request_for(self, person: Person) -> Request:
        """Build the request for this person."""
        return mutate(BUILDERS[self.kind](person, self.overrides), self.applied)


@dataclass(frozen=True, slots=True)
class DrawnFromOpenApi:
    """A request drawn from an OpenAPI description, with mutations."""

    request: OpenApiRequest = field(repr=False)
    applied: tuple[Mutation, ...] = field(repr=False)

    @property
    def kind(self) -> str:
        """Method and path, as described."""
        return self.request.label

    def request_for(self, person: Person) -> Request:
        """Build the request for this person."""
        return mutate(self.request.request_for(person), self.applied)


AnyDrawn = DrawnRequest | DrawnFromOpenApi


@dataclass(frozen=True, slots=True)
class BadResponse:
    """A request that got a 5xx or no answer."""

    kind: str
    status: int
    octets: bytes = field(repr=False)
    body: bytes = field(repr=False)


@dataclass(slots=True)
class ResponseCounts:
    """Responses counted by all senders."""

    statuses: Counter[int] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    bad: list[BadResponse] = field(default_factory=list)
    failures: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def count(self, kind: str, answer: Response, octets: bytes) -> None:
        """Count a response."""
        with self._lock:
            self.kinds[kind] += 1
            self.statuses[answer.status] += 1
            if answer.status >= 500 or answer.hung:
                self.bad.append(BadResponse(kind, answer.status, octets, answer.body))

    def count_failure(self, fault: Exception) -> None:
        """Count a valid request that could not be built."""
        with self._lock:
            self.failures[type(fault).__name__] += 1


def draw_requests(
    address: str,
    count: int,
    number: int,
    enqueue: Callable[[AnyDrawn], None],
    until: float = inf,
) -> None:
    """Draw requests: a quarter from OpenAPI descriptions, the others from flows."""
    wrong = st.lists(mutations, max_size=3).map(tuple)
    kinds = st.sampled_from(list(BUILDERS))
    flows = st.builds(DrawnRequest, kinds, st.just({}) | claim_overrides, wrong)
    few = st.just(()) | st.lists(mutations, max_size=1).map(tuple)
    by_description = st.builds(DrawnFromOpenApi, openapi_requests(address), few)
    drawn = st.one_of(flows, flows, flows, by_description)
    left, batch = count, 0
    while left > 0 and perf_counter() < until:
        size = min(_BATCH, left)
        _draw_batch(drawn, size, number * 1_000_003 + batch, enqueue)
        left, batch = left - size, batch + 1


def _draw_batch(
    drawn: st.SearchStrategy[AnyDrawn],
    size: int,
    number: int,
    enqueue: Callable[[AnyDrawn], None],
) -> None:
    """Start a new hypothesis run for each batch: it remembers all that it drew."""
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
        enqueue(one)

    draw_one()
    for one in drawn_requests[: max(0, size - len(drawn_requests))]:
        enqueue(one)


@contextmanager
def senders(
    installation: Installation,
    planted: PlantedSecrets,
    counts: ResponseCounts,
    on_sent: Callable[[], None],
) -> Iterator[Callable[[AnyDrawn], None]]:
    """Yield a function that queues requests; all are sent when the context ends."""
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
    """State that all senders share."""

    installation: Installation
    planted: PlantedSecrets
    counts: ResponseCounts
    waiting: queue.Queue[AnyDrawn | None]
    on_sent: Callable[[], None]


def _send_all(context: _SenderContext) -> None:
    goes_on = True
    while goes_on:
        with Person(context.installation, context.planted) as person:
            goes_on = _send_as(person, context)


def _send_as(person: Person, context: _SenderContext) -> bool:
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
    """Add the made-up secrets."""
    for canary in CANARIES:
        planted.add("canary", canary)

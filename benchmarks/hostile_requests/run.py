"""Draw requests one after the other and send them as several people in parallel."""

from __future__ import annotations

import queue
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from math import inf
from time import perf_counter
from typing import TYPE_CHECKING, Final

import httpx2
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from benchmarks.hostile_requests.from_openapi import openapi_builders
from benchmarks.hostile_requests.mutations import Mutation, mutate, mutations
from benchmarks.hostile_requests.odd_values import CANARIES, claim_overrides
from benchmarks.hostile_requests.person import Person
from benchmarks.hostile_requests.raw_http import Request, Response, needs_half_close, send
from benchmarks.hostile_requests.request_builders import BUILDERS, Builder, ClaimOverrides
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
    build: Builder = field(repr=False)
    overrides: ClaimOverrides = field(repr=False)
    applied: tuple[Mutation, ...] = field(repr=False)

    def request_for(self, person: Person) -> Request:
        """Build the request for this person."""
        return mutate(self.build(person, self.overrides), self.applied)


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
    enqueue: Callable[[DrawnRequest], None],
    until: float = inf,
) -> None:
    """Draw requests: each operation of the OpenAPI descriptions, each other flow as often."""
    flows = {kind: st.just(build) for kind, build in BUILDERS.items()}
    drawn = st.one_of(_drawn(flows, 1), _drawn(openapi_builders(address), 0))
    left, batch = count, 0
    while left > 0 and perf_counter() < until:
        size = min(_BATCH, left)
        _draw_batch(drawn, size, number * 1_000_003 + batch, enqueue)
        left, batch = left - size, batch + 1


def _drawn(
    builders: Mapping[str, st.SearchStrategy[Builder]], fewest: int
) -> st.SearchStrategy[DrawnRequest]:
    overrides: st.SearchStrategy[ClaimOverrides] = st.just({}) | claim_overrides
    applied = st.lists(mutations, min_size=fewest, max_size=3).map(tuple)
    return st.one_of(
        [
            st.builds(partial(DrawnRequest, kind), build, overrides, applied)
            for kind, build in builders.items()
        ]
    )


def _draw_batch(
    drawn: st.SearchStrategy[DrawnRequest],
    size: int,
    number: int,
    enqueue: Callable[[DrawnRequest], None],
) -> None:
    """Start a new hypothesis run for each batch: it remembers all that it drew."""
    drawn_requests: list[DrawnRequest] = []

    @seed(number)
    @settings(
        max_examples=size,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(drawn)
    def draw_one(one: DrawnRequest) -> None:
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
) -> Iterator[Callable[[DrawnRequest], None]]:
    """Yield a function that queues requests; all are sent when the context ends."""
    waiting: queue.Queue[DrawnRequest | None] = queue.Queue(maxsize=200)
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
    waiting: queue.Queue[DrawnRequest | None]
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

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

from benchmarks.hostile_requests.from_openapi import Described, described
from benchmarks.hostile_requests.mutations import Change, changed, changes
from benchmarks.hostile_requests.odd_values import CANARIES, twists
from benchmarks.hostile_requests.person import Person
from benchmarks.hostile_requests.raw_http import Answer, Request, is_lame, send
from benchmarks.hostile_requests.request_builders import BUILDERS
from mobile_api.errors import PhoneError

if TYPE_CHECKING:
    from benchmarks.hostile_requests.installation import Scene
    from benchmarks.hostile_requests.planted_secrets import Planted

SENDERS: Final = 6
_BATCH: Final = 1_000
_A_LIFE: Final = 1_500
"""Requests after which a person is replaced: accounts are deleted, devices spoilt."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """What was drawn: a kind of request, what its signatures say, what is wrong with it."""

    kind: str
    twist: dict[str, Any] = field(repr=False)
    made: tuple[Change, ...] = field(repr=False)

    def of(self, person: Person) -> Request:
        """Return the request as this person sends it."""
        return changed(BUILDERS[self.kind](person, self.twist), self.made)


@dataclass(frozen=True, slots=True)
class DrawnByDescription:
    """What was drawn from an OpenAPI description, and what is wrong with it besides."""

    described: Described = field(repr=False)
    made: tuple[Change, ...] = field(repr=False)

    @property
    def kind(self) -> str:
        """Method and path, as described."""
        return self.described.label

    def of(self, person: Person) -> Request:
        """Return the request as this person sends it."""
        return changed(self.described.of(person), self.made)


AnyDrawn = Drawn | DrawnByDescription


@dataclass(frozen=True, slots=True)
class Bad:
    """A request that got what nobody may get, for whoever mends it."""

    kind: str
    status: int
    octets: bytes = field(repr=False)
    body: bytes = field(repr=False)


@dataclass(slots=True)
class Tally:
    """What came back, counted by all senders."""

    statuses: Counter[int] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    bad: list[Bad] = field(default_factory=list)
    lost: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def count(self, kind: str, answer: Answer, octets: bytes) -> None:
        """Count one answer."""
        with self._lock:
            self.kinds[kind] += 1
            self.statuses[answer.status] += 1
            if answer.status >= 500 or answer.hung:
                self.bad.append(Bad(kind, answer.status, octets, answer.body))

    def lose(self, fault: Exception) -> None:
        """Count a valid request that could not be made: the person must begin anew."""
        with self._lock:
            self.lost[type(fault).__name__] += 1


def draw(
    address: str,
    count: int,
    number: int,
    told: Callable[[AnyDrawn], None],
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
    wrong = st.lists(changes, max_size=3).map(tuple)
    kinds = st.sampled_from(list(BUILDERS))
    flows = st.builds(Drawn, kinds, st.just({}) | twists, wrong)
    few = st.just(()) | st.lists(changes, max_size=1).map(tuple)
    by_description = st.builds(DrawnByDescription, described(address), few)
    drawn = st.one_of(flows, flows, flows, by_description)
    left, batch = count, 0
    while left > 0 and perf_counter() < until:
        size = min(_BATCH, left)
        _draw_batch(drawn, size, number * 1_000_003 + batch, told)
        left, batch = left - size, batch + 1


def _draw_batch(
    drawn: st.SearchStrategy[AnyDrawn], size: int, number: int, told: Callable[[AnyDrawn], None]
) -> None:
    """Draw some: a new beginning, so that what was drawn before need not be remembered."""
    made: list[AnyDrawn] = []

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
        made.append(one)
        told(one)

    draw_one()
    for one in made[: max(0, size - len(made))]:
        told(one)


@contextmanager
def senders(
    scene: Scene, planted: Planted, tally: Tally, told: Callable[[], None]
) -> Iterator[Callable[[AnyDrawn], None]]:
    """Yield what takes drawn requests; all are sent when the context ends.

    Args:
        scene: where to.
        planted: collects what must be found nowhere.
        tally: counts the answers.
        told: is called after each.
    """
    waiting: queue.Queue[AnyDrawn | None] = queue.Queue(maxsize=200)
    errand = _Errand(scene, planted, tally, waiting, told)
    threads = [threading.Thread(target=_send_all, args=(errand,)) for _ in range(SENDERS)]
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
class _Errand:
    """What all senders share."""

    scene: Scene
    planted: Planted
    tally: Tally
    waiting: queue.Queue[AnyDrawn | None]
    told: Callable[[], None]


def _send_all(errand: _Errand) -> None:
    """Be one person after the other until nothing waits."""
    goes_on = True
    while goes_on:
        with Person(errand.scene, errand.planted) as person:
            goes_on = _live(person, errand)


def _live(person: Person, errand: _Errand) -> bool:
    """Send as one person; False if nothing waits any more."""
    for _ in range(_A_LIFE):
        one = errand.waiting.get()
        if one is None:
            return False
        errand.told()
        try:
            request = one.of(person)
        except (PhoneError, httpx2.HTTPError, KeyError, ValueError, LookupError) as fault:
            errand.tally.lose(fault)
            continue
        octets = request.octets()
        answer = send(person.scene.service.port, octets, is_lame=is_lame(request))
        person.hear(answer)
        errand.tally.count(one.kind, answer, octets)
    return True


def plant_canaries(planted: Planted) -> None:
    """Remember the secrets that nobody gave."""
    for canary in CANARIES:
        planted.plant("canary", canary)

"""A gallery beside its database: killed at any instant, and used by many at once."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from math import inf
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter, sleep

import pytest

from engine.types import Candidate, GroupId
from mobile_api.gallery.template_encryption import group_of
from tests.support.galleries.gallery_worker import (
    ENROL,
    Following,
    Report,
    account_of,
    change_until_killed,
    following,
)
from tests.support.palms.fake_engine import template

KILLS = 200
THREADS, CROWD_S = 8, 4

KERNELS = "tests.support.galleries.warm_kernels"

MAX_LIFETIME_S = 0.15

START_LIMIT_S = 30

# Each process begins as a copy of one that has imported everything.
PROCESSES = get_context("forkserver")

pytestmark = [pytest.mark.check("kills and crowds"), pytest.mark.timeout(300)]


def test_kills_lose_nothing_acknowledged_and_bring_nothing_back(tmp_path: Path) -> None:
    """SIGKILL, also while a process starts; only the last unacknowledged change is open."""
    PROCESSES.set_forkserver_preload([change_until_killed.__module__, KERNELS])
    chance = random.Random(1)  # noqa: S311 -- when to kill, not a secret
    present: set[int] = set()
    touched, changes = set[int](), 0
    with following(tmp_path):
        pass
    for number in range(KILLS):
        lifetime_s = chance.uniform(0, MAX_LIFETIME_S)
        reports = list(run_and_kill(tmp_path, number, present, lifetime_s))
        changes += sum(is_acknowledged for *_, is_acknowledged in reports)
        expected, unknown = after(present, reports)
        with following(tmp_path) as opened:
            if unknown is not None and opened.is_found(unknown):
                expected.add(unknown)
            touched |= {who for _, who, _ in reports}
            for who in {who for _, who, _ in reports}:
                assert opened.is_found(who) is (who in expected), (number, who)
            assert len(opened.replica.current()) == 2 * len(expected), number
        present = expected

    with following(tmp_path) as opened:
        assert {who for who in touched if opened.is_found(who)} == present
        assert opened.replica.verify() == 0
    assert changes > 0


def run_and_kill(
    folder: Path, number: int, present: set[int], lifetime_s: float
) -> Iterator[Report]:
    """Let a process change things for a while, kill it, and give what it reported."""
    received, reports = PROCESSES.Pipe(duplex=False)
    process = PROCESSES.Process(
        target=change_until_killed, args=(folder, number, present, reports)
    )
    process.start()
    reports.close()
    if number % 4:  # of the others some are killed while they start
        received.poll(START_LIMIT_S)
    sleep(lifetime_s)
    process.kill()
    process.join()
    with received, suppress(EOFError, OSError):  # the last report may be cut off
        while True:
            yield received.recv()


def after(present: set[int], reports: list[Report]) -> tuple[set[int], int | None]:
    """Return who must be there, and the one person whose change was not acknowledged."""
    expected, unknown = set(present), None
    for change, who, is_acknowledged in reports:
        unknown = None if is_acknowledged else who
        if is_acknowledged and change == ENROL:
            expected.add(who)
        else:
            expected.discard(who)
    return expected, unknown


@dataclass
class Presence:
    """The time an account was in the gallery, as known by the thread that changed it."""

    person: int
    life: int
    begun: float = field(default_factory=perf_counter)
    sure_from: float = inf
    sure_until: float = inf
    ended: float = inf

    @property
    def group(self) -> GroupId:
        """The references' group."""
        return group_of(account_of(self.person, self.life))


@dataclass
class Answer:
    """A search and its result."""

    called: float
    returned: float
    person: int
    found: list[Candidate]


@dataclass
class Crowd:
    """Threads that enrol, erase and search, and what they saw."""

    opened: Following
    ends_at: float
    presences: list[Presence] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    faults: list[BaseException] = field(default_factory=list)
    lives: Iterator[int] = field(default_factory=count)

    def work(self, thread: int) -> None:
        """Change people of one's own and search for all, until the time is over."""
        chance = random.Random(thread)  # noqa: S311 -- what to do, not a secret
        present: dict[int, Presence] = {}
        try:
            while perf_counter() < self.ends_at:
                if chance.random() < 0.3:
                    self._change(chance.randrange(3) * THREADS + thread, present)
                else:
                    self._search(chance.randrange(3 * THREADS))
        except BaseException as fault:
            self.faults.append(fault)

    def _change(self, person: int, present: dict[int, Presence]) -> None:
        if presence := present.pop(person, None):
            presence.sure_until = perf_counter()
            self.opened.erase(person, presence.life)
            presence.ended = perf_counter()
            return
        present[person] = presence = Presence(person, next(self.lives))
        self.presences.append(presence)
        self.opened.enrol(person, presence.life)
        presence.sure_from = perf_counter()

    def _search(self, person: int) -> None:
        called = perf_counter()
        found = self.opened.replica.current().search([template(person, shot=9)])
        self.answers.append(Answer(called, perf_counter(), person, found))


def is_explained(answer: Answer, presences: dict[GroupId, Presence]) -> bool:
    """Return whether all found may have been there, and all that must be there were found."""
    found = [presences[candidate.group_id] for candidate in answer.found]
    may = all(p.begun <= answer.returned and answer.called <= p.ended for p in found)
    must = any(
        p.sure_from <= answer.called and answer.returned <= p.sure_until
        for p in presences.values()
        if p.person == answer.person
    )
    wanted = [p.person == answer.person for p in found]
    return may and (wanted[0] if any(wanted) else not must)


def test_every_answer_to_a_crowd_fits_what_was_there(tmp_path: Path) -> None:
    """What is acknowledged is seen by all threads, and not seen when it was erased."""
    with following(tmp_path) as opened:
        crowd = Crowd(opened, perf_counter() + CROWD_S)
        workers = [
            threading.Thread(target=crowd.work, args=(number,)) for number in range(THREADS)
        ]
        for worker in workers:
            worker.start()
        while any(worker.is_alive() for worker in workers):
            opened.replica.maintain(0.05)
            sleep(0.01)

    presences = {presence.group: presence for presence in crowd.presences}
    assert crowd.faults == []
    assert [a for a in crowd.answers if not is_explained(a, presences)] == []
    assert len(crowd.answers) > 100
    assert sum(presence.ended < inf for presence in crowd.presences) > 20

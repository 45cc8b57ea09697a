"""Enrol, erase and search in many threads; every result must fit some order.

A search is true for one instant between its call and its return: then every group found may
have been enrolled, and a group searched for but not found may have been absent.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from math import inf
from time import perf_counter
from typing import TYPE_CHECKING, Final

import numpy as np

from benchmarks.soak.workload import group_id, reference, template

if TYPE_CHECKING:
    from engine.gallery.port import Gallery
    from engine.types import Candidate, GroupId

_GROUPS: Final = 4


@dataclass(slots=True)
class _Enrolment:
    """When a group was enrolled, as its own thread knows.

    Attributes:
        from_earliest: enrolment called.
        from_latest: enrolment returned.
        until_earliest: erasure called.
        until_latest: erasure returned.
    """

    from_earliest: float
    from_latest: float = inf
    until_earliest: float = inf
    until_latest: float = inf


@dataclass(frozen=True, slots=True)
class _Answer:
    """A search and its result."""

    called: float
    returned: float
    wanted: GroupId
    found: list[Candidate]


@dataclass(slots=True)
class _Log:
    """Log of one thread."""

    enrolments: list[tuple[GroupId, _Enrolment]] = field(default_factory=list)
    answers: list[_Answer] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ConcurrencyResult:
    """Results of all threads.

    Attributes:
        unexplained: results that fit no order.
    """

    enrolments: int
    erasures: int
    searches: int
    unexplained: int
    faults: int


def run_concurrently(
    gallery: Gallery, seconds: float, *, threads: int = 8
) -> ConcurrencyResult:
    """Enrol, erase and search in threads for a while."""
    end = perf_counter() + seconds
    logs = [_Log() for _ in range(threads)]
    workers = [
        threading.Thread(target=_work, args=(gallery, number, threads, end, log))
        for number, log in enumerate(logs)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    enrolments: dict[GroupId, list[_Enrolment]] = {}
    for group, enrolment in (each for log in logs for each in log.enrolments):
        enrolments.setdefault(group, []).append(enrolment)
    answers = [answer for log in logs for answer in log.answers]
    return ConcurrencyResult(
        enrolments=sum(len(log.enrolments) for log in logs),
        erasures=sum(s.until_latest < inf for log in logs for _, s in log.enrolments),
        searches=len(answers),
        unexplained=sum(not _is_consistent(answer, enrolments) for answer in answers),
        faults=sum(len(log.faults) for log in logs),
    )


def _work(gallery: Gallery, thread: int, threads: int, end: float, log: _Log) -> None:
    rng = np.random.default_rng(thread)
    remaining: dict[int, _Enrolment] = {}
    while perf_counter() < end:
        number = int(rng.integers(_GROUPS)) * threads + thread
        try:
            match int(rng.integers(3)):
                case 0:
                    _change(gallery, number, remaining, log)
                case _:
                    _search(gallery, int(rng.integers(_GROUPS * threads)), log)
        except Exception as fault:  # a thread's main loop: counted
            log.faults.append(type(fault).__name__)


def _change(gallery: Gallery, number: int, remaining: dict[int, _Enrolment], log: _Log) -> None:
    if number in remaining:
        enrolment = remaining.pop(number)
        enrolment.until_earliest = perf_counter()
        gallery.erase_group(group_id(number))
        enrolment.until_latest = perf_counter()
        return
    enrolment = _Enrolment(perf_counter())
    log.enrolments.append((group_id(number), enrolment))
    gallery.enrol([reference(2 * number, 0), reference(2 * number + 1, 0)])
    enrolment.from_latest = perf_counter()
    remaining[number] = enrolment


def _search(gallery: Gallery, number: int, log: _Log) -> None:
    probe = template(2 * number, 0)
    called = perf_counter()
    found = gallery.search([probe])
    log.answers.append(_Answer(called, perf_counter(), group_id(number), found))


def _is_consistent(answer: _Answer, enrolments: dict[GroupId, list[_Enrolment]]) -> bool:
    instants = [(answer.called, answer.returned)]
    for candidate in answer.found:
        there = [(s.from_earliest, s.until_latest) for s in enrolments[candidate.group_id]]
        instants = _intersection(instants, there)
    if answer.wanted not in {candidate.group_id for candidate in answer.found}:
        instants = _intersection(instants, _absent(enrolments.get(answer.wanted, [])))
    elif answer.found[0].group_id != answer.wanted:
        return False
    return bool(instants)


def _absent(enrolments: list[_Enrolment]) -> list[tuple[float, float]]:
    ends = [-inf, *(enrolment.until_earliest for enrolment in enrolments)]
    begins = [*(enrolment.from_latest for enrolment in enrolments), inf]
    return [(end, begin) for end, begin in zip(ends, begins, strict=True) if end <= begin]


def _intersection(
    some: list[tuple[float, float]], others: list[tuple[float, float]]
) -> list[tuple[float, float]]:
    crossed = [(max(a, c), min(b, d)) for a, b in some for c, d in others]
    return [(begin, end) for begin, end in crossed if begin <= end]

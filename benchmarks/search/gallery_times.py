"""Time a gallery: searches, changes, both at once, and in turn with an exact scan."""

import os
import threading
from collections.abc import Callable, Sequence
from time import perf_counter, thread_time
from typing import Any, Final

from benchmarks.measurement.rates import percentile
from benchmarks.measurement.timing import Timing, time_calls
from benchmarks.search.gallery import MeasuredGallery
from benchmarks.search.peers import Peer
from benchmarks.search.population.mates import Mates
from benchmarks.search.population.people import People
from engine.types import PalmTemplate, Reference

FAST_RUNS_PER_EXACT: Final = 4
"""Whole searches for each exact scan."""

ENROLMENTS_PER_S: Final = 10
"""Beside which searches are timed."""


def time_in_turn(
    exact: Peer, gallery: MeasuredGallery, mates: Mates, rounds: int
) -> dict[str, Any]:
    """Time an exact scan and a whole search in turn, CPU time.

    Other load affects both alike, so their ratio is valid, and the exact scan leaves the other
    no cache.
    """
    works: dict[str, Callable[[PalmTemplate], object]] = {
        "exact_scan": lambda probe: exact.nearest(probe.vector[None]),
        "whole_search": lambda probe: gallery.search([probe]),
    }
    times: dict[str, list[float]] = {name: [] for name in works}
    for number in range(FAST_RUNS_PER_EXACT * rounds):
        probe = mates.probes[number % len(mates.probes)]
        for name, work in works.items():
            if name != "exact_scan" or number % FAST_RUNS_PER_EXACT == 0:
                began = thread_time()
                work(probe)
                times[name].append(1e3 * (thread_time() - began))
    shares = {"p50_ms": 0.5, "p99_ms": 0.99}
    found: dict[str, Any] = {
        name: {label: round(percentile(t, share), 4) for label, share in shares.items()}
        for name, t in times.items()
    }
    faster = percentile(times["exact_scan"], 0.5) / percentile(times["whole_search"], 0.5)
    found["whole_search"]["times_faster"] = round(faster, 2)
    return {**found, "load_average": round(os.getloadavg()[0], 2)}


def measure_search(gallery: MeasuredGallery, mates: Mates, runs: int) -> Timing:
    """Time whole searches: scan, exact ranking, comparison, decision list."""
    probes = mates.probes
    gallery.search([probes[0]])
    return time_calls(lambda n: gallery.search([probes[n % len(probes)]]), runs)


def measure_changes(gallery: MeasuredGallery, people: People, count: int) -> dict[str, Any]:
    """Time enrolments and erasures, one reference each.

    When an erasure returns, the reference is out of every search, running ones included.
    """
    new = people.new_references(count)
    enrol = time_calls(lambda n: gallery.enrol([new[n]]), count)
    erase = time_calls(lambda n: gallery.erase([new[n].reference_id]), count)
    return {"enrol": enrol.as_json(), "erase": erase.as_json()}


def measure_beside_enrolments(
    gallery: MeasuredGallery, people: People, mates: Mates, runs: int
) -> dict[str, Any]:
    """Time searches alone, and beside a thread that enrols steadily."""
    alone = measure_search(gallery, mates, runs)
    stop, made = threading.Event(), [0]
    new = people.new_references(ENROLMENTS_PER_S)
    pacing = threading.Thread(target=_enrol_steadily, args=(gallery, new, stop, made))
    began = perf_counter()
    pacing.start()
    beside = measure_search(gallery, mates, runs)
    stop.set()
    pacing.join()
    seconds = perf_counter() - began
    gallery.erase([reference.reference_id for reference in new[: made[0]]])
    return {
        "alone": alone.as_json(),
        "beside": beside.as_json(),
        "enrolments_per_s": round(made[0] / seconds, 1),
        "p99_beside_over_alone": round(beside.p99_ms / alone.p99_ms, 2),
    }


def _enrol_steadily(
    gallery: MeasuredGallery, new: Sequence[Reference], stop: threading.Event, made: list[int]
) -> None:
    """Enrol until it is stopped; where all are enrolled, erase one and enrol it again."""
    while not stop.wait(1 / ENROLMENTS_PER_S):
        reference = new[made[0] % len(new)]
        if made[0] >= len(new):
            gallery.erase([reference.reference_id])
        gallery.enrol([reference])
        made[0] += 1

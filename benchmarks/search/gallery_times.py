"""Time a gallery: searches, changes, both at once, and in turn with a scan."""

from __future__ import annotations

import os
import threading
from time import perf_counter, thread_time
from typing import TYPE_CHECKING, Any, Final

from benchmarks.measurement.rates import percentile
from benchmarks.measurement.timing import time_calls
from engine.gallery.search.side_index import scanned_rows
from engine.parameters import SHORT_LIST_ROWS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from benchmarks.measurement.timing import Timing
    from benchmarks.search.peers.scans import PackedScan
    from benchmarks.search.peers.searcher import Searcher
    from benchmarks.search.population.mates import Mates
    from benchmarks.search.population.people import People
    from engine.gallery.search.packed import PackedGallery
    from engine.types import PalmTemplate, Reference

FAST_RUNS_PER_EXACT: Final = 4
"""Packed scans and whole searches for each exact scan."""

CHANGES_PER_S: Final = 1000
"""Enrolments per second beside which searches are timed."""

_FEWEST_SCANS: Final = 10


def time_in_turn(
    exact: Searcher, packed: Searcher, gallery: PackedGallery, mates: Mates, rounds: int
) -> dict[str, Any]:
    """Time an exact scan, a packed one and a whole search in turn, CPU time.

    Other load affects all three alike, so their ratios are valid, and the exact scan leaves
    them no cache.
    """
    count = scanned_rows(len(gallery))
    works: dict[str, Callable[[PalmTemplate], object]] = {
        "exact_scan": lambda probe: exact.nearest(probe.vector[None], SHORT_LIST_ROWS),
        "packed_scan": lambda probe: packed.nearest(probe.vector[None], count),
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
    baseline = percentile(times["exact_scan"], 0.5)
    for name in ("packed_scan", "whole_search"):
        found[name]["times_faster"] = round(baseline / percentile(times[name], 0.5), 2)
    return {**found, "load_average": round(os.getloadavg()[0], 2)}


def time_scans(scan: PackedScan, probes: NDArray[np.float32], count: int, runs: int) -> Timing:
    """Time single scans."""
    scan.nearest(probes[:1], count)
    return time_calls(
        lambda n: scan.nearest(probes[n % len(probes)][None], count), max(runs, _FEWEST_SCANS)
    )


def measure_search(gallery: PackedGallery, mates: Mates, runs: int) -> Timing:
    """Time whole searches: scan, exact ranking, comparison, decision list."""
    probes = mates.probes
    gallery.search([probes[0]])
    return time_calls(lambda n: gallery.search([probes[n % len(probes)]]), runs)


def measure_changes(gallery: PackedGallery, people: People, count: int) -> dict[str, Any]:
    """Time enrolments and erasures, one reference each.

    When an erasure returns, the reference is out of every search, running ones included.
    """
    new_references = people.new_references(count)
    enrol = time_calls(lambda n: gallery.enrol([new_references[n]]), count)
    erase = time_calls(lambda n: gallery.erase([new_references[n].reference_id]), count)
    return {"enrol": enrol.as_json(), "erase": erase.as_json()}


def measure_beside_enrolments(
    gallery: PackedGallery, people: People, mates: Mates, runs: int
) -> dict[str, Any]:
    """Time searches alone, and beside a thread that enrols steadily."""
    alone = measure_search(gallery, mates, runs)
    stop, done = threading.Event(), [0]
    new_references = people.new_references(4 * CHANGES_PER_S)
    pacing = threading.Thread(
        target=_enrol_steadily, args=(gallery, new_references, stop, done)
    )
    began = perf_counter()
    pacing.start()
    beside = measure_search(gallery, mates, runs)
    stop.set()
    pacing.join()
    seconds = perf_counter() - began
    return {
        "alone": alone.as_json(),
        "beside": beside.as_json(),
        "enrolments_per_s": round(done[0] / seconds),
        "p999_beside_over_p99_alone": round(beside.p999_ms / alone.p99_ms, 2),
    }


def _enrol_steadily(
    gallery: PackedGallery,
    new_references: Sequence[Reference],
    stop: threading.Event,
    done: list[int],
) -> None:
    began, pause = perf_counter(), threading.Event()
    while not stop.is_set():
        reference = new_references[done[0] % len(new_references)]
        if done[0] >= len(new_references):
            gallery.replace([reference])
        else:
            gallery.enrol([reference])
        done[0] += 1
        ahead = done[0] / CHANGES_PER_S - (perf_counter() - began)
        if ahead > 0:
            pause.wait(ahead)
    gallery.erase([r.reference_id for r in new_references[: done[0]]])

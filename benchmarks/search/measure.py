"""One gallery size, measured: scans of vectors, whole searches, changes, and who is lost."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from time import perf_counter, thread_time
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from benchmarks.metrics import percentile, rate
from benchmarks.peers import PackedScan
from benchmarks.search.people import BATCH_PALMS, REFERENCES, group_of
from benchmarks.speed import time_calls
from engine.compare import compare_many
from engine.fusion import fuse
from engine.parameters import COMPARED_GROUPS, SCANNED_ROWS, SHORT_LIST_ROWS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from benchmarks.peers import Searcher
    from benchmarks.search.people import People
    from benchmarks.speed import Timing
    from engine.gallery.packed import PackedGallery
    from engine.types import Candidate, GroupId, PalmTemplate

BATCH_PROBES: Final = 256
"""Probes of a batch."""

DRAWN_FROM: Final = 2
"""Palms among which each mate is drawn where there are too few drawn ones."""

DUEL_REPEATS: Final = 4
"""Packed scans and whole searches for each exact scan."""

CHANGES_PER_S: Final = 1000
"""Enrolments a second beside which searches are timed."""


@dataclass(frozen=True, slots=True)
class Mates:
    """Probes of enrolled palms.

    Attributes:
        palms: whose.
        probes: one for each.
        scores: the fused comparison score of each with its own references.
    """

    palms: list[int]
    probes: list[PalmTemplate]
    scores: list[float]

    def above(self, threshold: float) -> list[int]:
        """Return which of them score this much or more: those that must not be lost."""
        return [n for n, score in enumerate(self.scores) if score >= threshold]


def choose_mates(people: People, count: int, seed: int) -> Mates:
    """Draw enrolled palms, compare a new picture of each with its references."""
    rng = np.random.default_rng(seed)
    # Drawn palms if there are enough; of mosaics the first are as good as any.
    enough = people.drawn_count if people.drawn_count >= count else DRAWN_FROM * count
    drawn_from = min(people.count, enough)
    palms = np.sort(rng.choice(drawn_from, min(count, people.count), replace=False))
    chosen: list[int] = []
    probes: list[PalmTemplate] = []
    scores: list[float] = []
    for first in range(0, people.count, BATCH_PALMS):
        here = palms[(palms >= first) & (palms < first + BATCH_PALMS)]
        if len(here) == 0:
            continue
        references = people.templates(first)
        for palm, probe in zip(here.tolist(), people.probes(here), strict=True):
            own = REFERENCES * (palm - first)
            pair = references[own : own + REFERENCES]
            scores.append(fuse(compare_many(probe, pair)[None])[0])
            chosen.append(palm)
            probes.append(probe)
    return Mates(chosen, probes, scores)


def measure_scan(
    searcher: Searcher, mates: Mates, above: Sequence[int], *, runs: int, checked: int
) -> dict[str, Any]:
    """Time single scans and a batch, and count mates that are not in the short list.

    Args:
        searcher: filled.
        mates: probes.
        above: which of them score above the threshold.
        runs: single scans that are timed.
        checked: at most so many mates are looked for.
    """
    vectors = [probe.vector[None] for probe in mates.probes]
    count = SCANNED_ROWS if isinstance(searcher, PackedScan) else SHORT_LIST_ROWS

    def scan(number: int) -> object:
        return searcher.nearest(vectors[number % len(vectors)], count)

    scan(0)
    single = time_calls(scan, runs)
    batch = np.concatenate(vectors[:BATCH_PROBES])
    together = time_calls(lambda _: searcher.nearest(batch, count), 1)
    missed = 0
    looked_for = above[:checked]
    for number in looked_for:
        (rows,) = searcher.nearest(vectors[number], count)
        missed += not (rows // REFERENCES == mates.palms[number]).any()
    return {
        "method": searcher.name,
        "row_octets_read": searcher.row_bytes,
        "one_thread": single.as_json(),
        "batch_of": len(batch),
        "batch_cpu_ms_per_probe": round(together.cpu_ms / len(batch), 4),
        "mates_looked_for": len(looked_for),
        "mates_not_in_short_list": missed,
    }


def duel(
    exact: Searcher, packed: Searcher, gallery: PackedGallery, mates: Mates, rounds: int
) -> dict[str, Any]:
    """Time an exact scan, a packed one and a whole search in turn, CPU time.

    Whatever else the machine does meets all three alike, so the ratios can be believed.
    """
    works: dict[str, Callable[[PalmTemplate], object]] = {
        "exact_scan": lambda probe: exact.nearest(probe.vector[None], SHORT_LIST_ROWS),
        "packed_scan": lambda probe: packed.nearest(probe.vector[None], SCANNED_ROWS),
        "whole_search": lambda probe: gallery.search([probe]),
    }
    times: dict[str, list[float]] = {name: [] for name in works}
    for number in range(DUEL_REPEATS * rounds):
        probe = mates.probes[number % len(mates.probes)]
        for name, work in works.items():
            if name != "exact_scan" or number % DUEL_REPEATS == 0:
                began = thread_time()
                work(probe)
                times[name].append(1e3 * (thread_time() - began))
    shares = {"p50_ms": 0.5, "p99_ms": 0.99}
    found: dict[str, Any] = {
        name: {label: round(percentile(t, share), 4) for label, share in shares.items()}
        for name, t in times.items()
    }
    yardstick = percentile(times["exact_scan"], 0.5)
    for name in ("packed_scan", "whole_search"):
        found[name]["times_faster"] = round(yardstick / percentile(times[name], 0.5), 2)
    return {**found, "load_average": round(os.getloadavg()[0], 2)}


def time_scans(scan: Searcher, probes: Sequence[NDArray[np.float32]], runs: int) -> Timing:
    """Time single scans, at least ten."""
    scan.nearest(probes[0][None], SCANNED_ROWS)
    return time_calls(
        lambda n: scan.nearest(probes[n % len(probes)][None], SCANNED_ROWS), max(runs, 10)
    )


def measure_two_threads(scan: PackedScan, mates: Mates, runs: int) -> dict[str, Any]:
    """Time scans that two threads share."""
    vectors = [probe.vector[None] for probe in mates.probes]
    scan.nearest(vectors[0], SCANNED_ROWS)

    def one(number: int) -> object:
        return scan.nearest(vectors[number % len(vectors)], SCANNED_ROWS)

    return time_calls(one, runs).as_json()


def measure_search(gallery: PackedGallery, mates: Mates, runs: int) -> Timing:
    """Time whole searches: scan, exact ranking, comparison, decision list."""
    probes = mates.probes
    gallery.search([probes[0]])
    return time_calls(lambda n: gallery.search([probes[n % len(probes)]]), runs)


def search_mates(
    gallery: PackedGallery, exact: Searcher, mates: Mates, above: Sequence[int]
) -> dict[int, str]:
    """Search for mates, and return why those that are not first are not.

    Returns:
        By the mate's number: ``outranked`` if it was compared, but a stranger scores more;
        ``lost`` if it was not, though it is among those that an exact scan would compare;
        ``not_compared`` if neither does: its vector is farther than those of many strangers.
    """
    failures = {}
    for number in above:
        probe, own = mates.probes[number], group_of(mates.palms[number])
        found = gallery.search([probe])
        if _is_among(found[:1], own):
            continue
        if _is_among(found, own):
            failures[number] = "outranked"
        else:
            is_lost = _would_be_compared(exact, probe, mates.palms[number])
            failures[number] = "lost" if is_lost else "not_compared"
    return failures


def _would_be_compared(exact: Searcher, probe: PalmTemplate, palm: int) -> bool:
    """Tell whether a palm is among those that an exact scan would have compared."""
    (rows,) = exact.nearest(probe.vector[None], SHORT_LIST_ROWS)
    nearest = list(dict.fromkeys((rows // REFERENCES).tolist()))
    return palm in nearest[:COMPARED_GROUPS]


def count_failures(failures: dict[int, str], mates: Mates, threshold: float) -> dict[str, Any]:
    """Count why mates above a threshold were not first."""
    above = mates.above(threshold)
    reasons = [failures[number] for number in above if number in failures]
    lost = rate(reasons.count("lost"), len(above))
    return {
        "threshold": round(threshold, 4),
        "mated_probes": len(mates.palms),
        "above_threshold": len(above),
        "lost_by_the_scan": lost.count,
        "lost_share_95_percent": [lost.low, lost.high],
        "outranked_by_a_stranger": reasons.count("outranked"),
        "not_among_the_compared": reasons.count("not_compared"),
    }


def measure_changes(gallery: PackedGallery, people: People, count: int) -> dict[str, Any]:
    """Time enrolments and erasures, one reference each."""
    newcomers = people.newcomers(count)
    enrol = time_calls(lambda n: gallery.enrol([newcomers[n]]), count)
    erase = time_calls(lambda n: gallery.erase([newcomers[n].reference_id]), count)
    return {"enrol": enrol.as_json(), "erase": erase.as_json()}


def measure_beside_enrolments(
    gallery: PackedGallery, people: People, mates: Mates, runs: int
) -> dict[str, Any]:
    """Time searches alone, and beside a thread that enrols at a steady pace."""
    alone = measure_search(gallery, mates, runs)
    stop, done = threading.Event(), [0]
    newcomers = people.newcomers(4 * CHANGES_PER_S)
    pacing = threading.Thread(target=_enrol_steadily, args=(gallery, newcomers, stop, done))
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
    newcomers: Sequence[Any],
    stop: threading.Event,
    done: list[int],
) -> None:
    """Enrol at ``CHANGES_PER_S``; whoever has been enrolled long ago leaves again."""
    began, pause = perf_counter(), threading.Event()
    while not stop.is_set():
        reference = newcomers[done[0] % len(newcomers)]
        if done[0] >= len(newcomers):
            gallery.replace([reference])
        else:
            gallery.enrol([reference])
        done[0] += 1
        ahead = done[0] / CHANGES_PER_S - (perf_counter() - began)
        if ahead > 0:
            pause.wait(ahead)
    gallery.erase([r.reference_id for r in newcomers[: done[0]]])


def _is_among(candidates: Sequence[Candidate], group: GroupId) -> bool:
    """Tell whether a group is among candidates."""
    return any(candidate.group_id == group for candidate in candidates)

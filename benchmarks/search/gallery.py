"""The galleries that are measured: their start, their times, lost mates, FPIR and FNIR.

Timed are searches, changes, both at once, and searches in turn with an exact scan. Mates are
probes of enrolled palms, with the reason why some do not come first.

FPIR and FNIR are observed (ISO/IEC 19795-1): every probe is searched once and counts twice:
without its own palm, whose place in the short list goes to one more group, the same search is
non-mated.
"""

import os
import secrets
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter, process_time, thread_time
from typing import Any, Final, Protocol

import faiss
import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy.rates.error_rates import ErrorRates, error_rates
from benchmarks.console import track
from benchmarks.measurement import percentile, rate, rate_numbers, resident_bytes, time_calls
from benchmarks.search.population import BATCH_PALMS, REFERENCES, People, group_of
from engine.comparison.compare import compare_many, fuse
from engine.features.code_bytes import code_bytes_of
from engine.gallery.durability.snapshot_file import SnapshotFile
from engine.gallery.durability.state import RowFormat
from engine.gallery.durability.stored import StoredGallery
from engine.gallery.port import Gallery
from engine.gallery.search.memory_gallery import MemoryGallery
from engine.parameters import COMPARED_GROUPS, SHORT_LIST_ROWS
from engine.types import Candidate, ExtractorId, GroupId, PalmTemplate, Reference, ReferenceId

MILVUS_NAME = "bench"


class MeasuredGallery(Gallery, Protocol):
    """A gallery that is changed and searched."""

    def enrol(self, references: Sequence[Reference]) -> None:
        """Add references."""

    def erase(self, reference_ids: Sequence[ReferenceId]) -> None:
        """Remove references."""


@dataclass(frozen=True, slots=True)
class LocalFiles:
    """A gallery's file on disk, encrypted as in the service."""

    folder: Path
    extractor: ExtractorId
    dimension: int
    key: bytes = field(default_factory=partial(secrets.token_bytes, 32), repr=False)

    def open(self) -> StoredGallery:
        """Open the gallery as the service does."""
        rows = RowFormat(self.extractor, self.dimension, code_bytes_of(self.extractor))
        file = SnapshotFile(self.folder / "gallery.sqlite3", rows, self.key)
        return StoredGallery(file, new_gallery=MemoryGallery)


def measure_start(files: LocalFiles, empty: LocalFiles) -> dict[str, float]:
    """Open a gallery in its own process: memory that another one used would be reused."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(_measured_start, files, empty).result()


def _measured_start(files: LocalFiles, empty: LocalFiles) -> dict[str, float]:
    empty.open().close()  # loads and compiles what every gallery needs
    before, began, cpu_began = resident_bytes(), perf_counter(), process_time()
    stored = files.open()
    seconds, cpu_seconds = perf_counter() - began, process_time() - cpu_began
    grown, rows = resident_bytes() - before, len(stored.gallery)
    disk = sum(path.stat().st_size for path in files.folder.iterdir())
    stored.close()
    return {
        "rows": rows,
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "disk_bytes_per_row": disk / rows,
        "resident_bytes_per_row": grown / rows,
    }


@dataclass(frozen=True, slots=True)
class Mates:
    """Probes of enrolled palms.

    Attributes:
        scores: fused comparison score of each with its own references.
    """

    palms: list[int]
    probes: list[PalmTemplate]
    scores: list[float]

    def above(self, threshold: float) -> list[int]:
        """Return those at or above a threshold: they must not be lost."""
        return [n for n, score in enumerate(self.scores) if score >= threshold]

    def vectors(self, which: Sequence[int]) -> NDArray[np.float32]:
        """Return the vectors of some, shape (some, dimension)."""
        return np.stack([self.probes[number].vector for number in which])


def choose_mates(people: People, count: int, seed: int) -> Mates:
    """Choose drawn palms; compare a new picture of each with its references."""
    rng = np.random.default_rng(seed)
    known = people.drawn_count
    palms = np.sort(rng.choice(known, min(count, known), replace=False))
    probes, scores = people.probes(palms), list[float]()
    for first in range(0, known, BATCH_PALMS):
        references = people.references(first)
        for number in np.flatnonzero(palms // BATCH_PALMS == first // BATCH_PALMS):
            own = REFERENCES * (int(palms[number]) - first)
            pair = [each.template for each in references[own : own + REFERENCES]]
            scores.append(fuse(compare_many(probes[number], pair)[None])[0])
    return Mates(palms.tolist(), probes, scores)


def search_mates(
    gallery: MeasuredGallery, people: People, mates: Mates, above: Sequence[int]
) -> dict[int, str]:
    """Search for mates; return why some do not come first.

    Returns:
        By the mate's number: ``outranked``: compared, but a non-mated palm scores more;
        ``lost``: not compared, though few palms are nearer by their vectors; ``not_compared``:
        as many palms are nearer as are compared.
    """
    failures = {}
    for number in track(above, "searching for mates"):
        found = gallery.search([mates.probes[number]])
        own = group_of(mates.palms[number])
        if not _is_among(found[:1], own):
            failures[number] = "outranked" if _is_among(found, own) else "unknown"
    unknown = [number for number, why in failures.items() if why == "unknown"]
    ranks = exact_ranks(people, mates, unknown)
    for number, rank in zip(unknown, ranks.tolist(), strict=True):
        failures[number] = "lost" if rank < COMPARED_GROUPS else "not_compared"
    return failures


def exact_ranks(people: People, mates: Mates, which: Sequence[int]) -> NDArray[np.int64]:
    """Return how many other palms are nearer to each mate than its own, exactly."""
    if len(which) == 0:
        return np.zeros(0, np.int64)
    probes = mates.vectors(which)
    palms = [mates.palms[number] for number in which]
    own = np.einsum("pd,prd->pr", probes, people.references_of(palms)).max(axis=1)
    count = partial(_count_nearer, people, probes, own)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        counts = pool.map(count, range(0, people.count, BATCH_PALMS))
        return np.asarray(np.stack(list(counts)).sum(axis=0), np.int64)


def _count_nearer(
    people: People, probes: NDArray[np.float32], own: NDArray[np.float32], first: int
) -> NDArray[np.int64]:
    cosines = (probes @ people.rows_of(first).T).reshape(len(probes), -1, REFERENCES)
    # The same product by another routine may differ in its last bits.
    limits = own[:, None] + np.float32(1e-6)
    return np.asarray((cosines.max(axis=2) > limits).sum(axis=1), np.int64)


def count_failures(failures: dict[int, str], mates: Mates, threshold: float) -> dict[str, Any]:
    """Count why mates above a threshold did not come first."""
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


def _is_among(candidates: Sequence[Candidate], group: GroupId) -> bool:
    return any(candidate.group_id == group for candidate in candidates)


FAST_RUNS_PER_EXACT: Final = 4
"""Whole searches for each exact scan."""

ENROLMENTS_PER_S: Final = 10
"""Beside which searches are timed."""


class ExactScan:
    """The baseline: FAISS's exact scan of all vectors for the short list, on one thread."""

    def __init__(self, people: People) -> None:
        self._index = faiss.IndexFlatIP(people.dimension)
        for vectors in people.batches():
            self._index.add(vectors)

    def nearest(self, probe: NDArray[np.float32]) -> NDArray[np.int64]:
        """Return the rows nearest to a probe, shape (short list,)."""
        faiss.omp_set_num_threads(1)
        _, rows = self._index.search(probe[None], SHORT_LIST_ROWS)
        return np.asarray(rows[0], np.int64)


def faiss_versions() -> dict[str, str]:
    """Return the version of FAISS and its instruction set here."""
    level = faiss.SIMDConfig.get_level_name()
    return {"faiss": str(faiss.__version__), "instructions": str(level)}


def time_in_turn(
    exact: ExactScan, gallery: MeasuredGallery, mates: Mates, rounds: int
) -> dict[str, Any]:
    """Time an exact scan and a whole search in turn, CPU time.

    Other load affects both alike, so their ratio is valid, and the exact scan leaves the other
    no cache.
    """
    works: dict[str, Callable[[PalmTemplate], object]] = {
        "exact_scan": lambda probe: exact.nearest(probe.vector),
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


def measure_search(gallery: MeasuredGallery, mates: Mates, runs: int) -> dict[str, float]:
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
    return {"enrol": enrol, "erase": erase}


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
        "alone": alone,
        "beside": beside,
        "enrolments_per_s": round(made[0] / seconds, 1),
        "p99_beside_over_alone": round(beside["p99_ms"] / alone["p99_ms"], 2),
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


TARGET_FPIR: Final = 1e-3

OBSERVED: Final = f"observed_fpir_{TARGET_FPIR:g}"
"""Lowest threshold at which the searches of this run have that rate."""


def identify(gallery: MeasuredGallery, mates: Mates) -> ErrorRates:
    """Search every probe; a mate that is not first has score 0."""
    pairs = zip(mates.palms, mates.probes, strict=True)
    shown = track(list(pairs), "identifying")
    found = [_best_scores(gallery, probe, group_of(palm)) for palm, probe in shown]
    own, others = np.array(found, np.float32).T
    return error_rates(np.where(own > others, own, 0), others)


def _best_scores(
    gallery: MeasuredGallery, probe: PalmTemplate, own: GroupId
) -> tuple[float, float]:
    """Return the scores of the own group and of the best other one; 0 if not compared."""
    found = gallery.search([probe], count=COMPARED_GROUPS + 1)
    mated = [each.score for each in found if each.group_id == own]
    others = [each.score for each in found if each.group_id != own]
    return max(mated, default=0.0), max(others, default=0.0)


def identification(rates: ErrorRates, thresholds: dict[str, float]) -> dict[str, Any]:
    """Return the rates at calibrated thresholds, and where the target is observed."""
    observed = rates.threshold_for_fmr(TARGET_FPIR)
    return {
        name: {
            "threshold": round(threshold, 4),
            "fpir": rate_numbers(rates.false_matches(threshold), rates.nonmated.size),
            "fnir": rate_numbers(rates.false_non_matches(threshold), rates.mated.size),
        }
        for name, threshold in {**thresholds, OBSERVED: observed}.items()
    }

"""One size after the other: what is filled, measured and thrown away again."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from benchmarks.peers import FaissIndex, PackedScan, flat, peers
from benchmarks.search.measure import (
    build,
    choose_mates,
    count_failures,
    measure_beside_enrolments,
    measure_changes,
    measure_scan,
    measure_search,
    measure_two_threads,
    search_mates,
)
from benchmarks.search.people import People
from engine.calibrate import threshold_for_fpir
from engine.extract import ClassicalExtractor
from engine.gallery.packed import PackedGallery
from engine.types import Hand

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.mosaics import Mosaics
    from benchmarks.peers import Searcher
    from benchmarks.search.measure import Mates
    from engine.calibrate import Calibration

SEED: Final = 20261120
PEER_MATES: Final = 1000
"""Mates that are looked for with each searcher; the gallery itself is asked for all."""

MOST_PEER_ROWS: Final = 100_000
"""Up to where graphs and cells are built: they take minutes for more."""

TARGET_FPIR: Final = 1e-3
TARGET_FMR: Final = 1e-4


@dataclass(frozen=True, slots=True)
class Options:
    """What is measured.

    Attributes:
        mates: mated probes for each size.
        runs: timed searches.
        flat_runs: timed exact scans.
        changes: timed enrolments and erasures.
        with_peers: whether graphs and cells are measured, too.
        bandwidth: of the memory, GB/s.
    """

    mates: int
    runs: int
    flat_runs: int
    changes: int
    with_peers: bool
    bandwidth: float


def measure_size(
    rows: int,
    mosaics: Mosaics,
    calibration: Calibration,
    options: Options,
    say: Callable[[str], None],
) -> dict[str, Any]:
    """Measure one size: returns numbers, ready for JSON."""
    people = People(mosaics, calibration.extractor, rows // 2)
    say(f"{rows} rows: mated probes")
    mates = choose_mates(people, options.mates, SEED)
    thresholds = {
        f"fpir_{TARGET_FPIR:g}": threshold_for_fpir(calibration, TARGET_FPIR, rows),
        f"fmr_{TARGET_FMR:g}": calibration.threshold_for_fmr(TARGET_FMR),
    }
    above = mates.above(min(thresholds.values()))
    say(f"{rows} rows: gallery, {len(above)} of {len(mates.palms)} mates above the threshold")
    numbers = _measure_gallery(people, mates, above, options)
    failures = numbers.pop("failures")
    numbers["mates"] = {
        name: count_failures(failures, mates, threshold)
        for name, threshold in thresholds.items()
    }
    scans = []
    for searcher in _searchers(rows, options):
        say(f"{rows} rows: {searcher.name}")
        scans.append(_measure_searcher(searcher, people, mates, above, options))
    return {"rows": rows, **numbers, "scans": _compared(scans, rows, options.bandwidth)}


def _measure_gallery(
    people: People, mates: Mates, above: list[int], options: Options
) -> dict[str, Any]:
    """Fill a packed gallery and measure it."""
    extractor = ClassicalExtractor()
    gallery = PackedGallery(extractor.extractor_id, extractor.dimension)
    numbers: dict[str, Any] = {"memory": build(people, gallery)}
    numbers["whole_search"] = measure_search(gallery, mates, options.runs).as_json()
    numbers["failures"] = search_mates(gallery, mates, above)
    numbers["changes"] = measure_changes(gallery, people, options.changes)
    numbers["beside_enrolments"] = measure_beside_enrolments(
        gallery, people, mates, options.runs
    )
    if gallery.row_count(Hand.LEFT) != people.rows:
        raise AssertionError("the gallery has not the rows that were enrolled")
    return numbers


def _searchers(rows: int, options: Options) -> Iterator[Searcher]:
    """Yield what is measured, each made when the one before is thrown away."""
    dimension = ClassicalExtractor.dimension
    yield flat(dimension)
    for bits in (2, 1):
        yield PackedScan(dimension, bits)
    if options.with_peers:
        for peer in peers(dimension):
            if peer.row_bytes or rows <= MOST_PEER_ROWS:
                yield peer


def _measure_searcher(
    searcher: Searcher, people: People, mates: Mates, above: list[int], options: Options
) -> dict[str, Any]:
    """Fill a searcher and measure it."""
    for vectors, _ in people.batches():
        searcher.add(vectors)
    exact = isinstance(searcher, FaissIndex) and searcher.row_bytes > 0
    runs = options.flat_runs if exact else options.runs
    checked = 2 * options.flat_runs if exact else PEER_MATES
    numbers = measure_scan(searcher, mates, above, runs=runs, checked=checked)
    numbers["two_threads"] = None
    if isinstance(searcher, PackedScan):
        bits = 8 * searcher.row_bytes // ClassicalExtractor.dimension
        shared = PackedScan(ClassicalExtractor.dimension, bits, shards=2)
        for vectors, _ in people.batches():
            shared.add(vectors)
        with ThreadPoolExecutor(1) as pool:
            shared.pool = pool
            numbers["two_threads"] = measure_two_threads(shared, mates, options.runs)
    return numbers


def _compared(scans: list[dict[str, Any]], rows: int, bandwidth: float) -> list[dict[str, Any]]:
    """Add what follows from the times: ratios to the first scan, and shares of bandwidth."""
    yardstick = scans[0]
    for scan in scans:
        cpu_ms = scan["one_thread"]["cpu_ms"]
        scan["times_faster"] = round(yardstick["one_thread"]["cpu_ms"] / cpu_ms, 2)
        batched = scan["batch_cpu_ms_per_probe"]
        scan["batch_times_faster"] = round(yardstick["batch_cpu_ms_per_probe"] / batched, 2)
        read = scan["row_octets_read"] * rows / cpu_ms / 1e6
        scan["read_gb_per_s"] = round(read, 2)
        scan["bandwidth_share"] = round(read / bandwidth, 3)
    return scans

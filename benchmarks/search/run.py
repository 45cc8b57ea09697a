"""One size after the other: what is filled, measured and thrown away again."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from benchmarks.peers import FaissIndex, PackedScan, flat, peers
from benchmarks.search.measure import (
    build,
    choose_mates,
    count_failures,
    duel,
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
from engine.gallery.code_store import MemoryCodes
from engine.gallery.packed import PackedGallery
from engine.parameters import CODE_BYTES
from engine.types import Hand

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from benchmarks.mosaics import Mosaics
    from benchmarks.peers import Searcher
    from benchmarks.search.measure import Mates
    from engine.calibrate import Calibration

SEED: Final = 20261120
PEER_MATES: Final = 1000
"""Mates that are looked for with each searcher; the gallery itself is asked for all."""

_BITS: Final = (2, 1)
"""Of a packed row for each dimension."""

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
    codes = MemoryCodes(CODE_BYTES)
    gallery = PackedGallery(
        ClassicalExtractor.extractor_id, ClassicalExtractor.dimension, codes=codes
    )
    numbers: dict[str, Any] = {"memory": build(people, gallery, codes)}
    shared = _shared_scans()
    exact, packed = flat(ClassicalExtractor.dimension), _packed_scans()
    singles: list[Searcher] = [exact, *packed]
    _fill([*singles, *shared], people)
    say(f"{rows} rows: memory {numbers['memory']}")
    numbers["duel"] = duel(exact, packed[0], gallery, mates, options.flat_runs)
    say(f"{rows} rows: {json.dumps(numbers['duel'])}")
    numbers.update(_measure_gallery(gallery, people, mates, options))
    say(f"{rows} rows: {json.dumps(numbers['changes'])}")
    say(f"{rows} rows: {json.dumps(numbers['beside_enrolments'])}")
    failures = search_mates(gallery, exact, mates, above)
    numbers["mates"] = {
        name: count_failures(failures, mates, threshold)
        for name, threshold in thresholds.items()
    }
    say(f"{rows} rows: {json.dumps(numbers['mates'])}")
    scans = [_measure_searcher(searcher, mates, above, options) for searcher in singles]
    for scan, halves in zip(scans[1:], shared, strict=True):
        scan["two_threads"] = _measure_shared(halves, mates, options)
    for peer in _peers(rows, options):
        say(f"{rows} rows: {peer.name}")
        _fill([peer], people)
        scans.append(_measure_searcher(peer, mates, above, options))
    return {"rows": rows, **numbers, "scans": _compared(scans, rows, options.bandwidth)}


def _measure_gallery(
    gallery: PackedGallery, people: People, mates: Mates, options: Options
) -> dict[str, Any]:
    """Measure a gallery that was filled: searches, changes, and both at once."""
    numbers: dict[str, Any] = {
        "whole_search": measure_search(gallery, mates, options.runs).as_json(),
        "changes": measure_changes(gallery, people, options.changes),
        "beside_enrolments": measure_beside_enrolments(gallery, people, mates, options.runs),
    }
    if gallery.row_count(Hand.LEFT) != people.rows:
        raise AssertionError("the gallery has not the rows that were enrolled")
    return numbers


def _packed_scans() -> list[PackedScan]:
    """Return our own scans, for one thread."""
    return [PackedScan(ClassicalExtractor.dimension, bits) for bits in _BITS]


def _shared_scans() -> list[PackedScan]:
    """Return our own scans, for two threads."""
    return [PackedScan(ClassicalExtractor.dimension, bits, shards=2) for bits in _BITS]


def _peers(rows: int, options: Options) -> Iterator[FaissIndex]:
    """Yield other searches, each made when the one before is thrown away."""
    if options.with_peers:
        for peer in peers(ClassicalExtractor.dimension):
            if peer.row_bytes or rows <= MOST_PEER_ROWS:
                yield peer


def _fill(searchers: Sequence[Searcher], people: People) -> None:
    """Give the same rows to all."""
    for vectors in people.batches():
        for searcher in searchers:
            searcher.add(vectors)


def _measure_searcher(
    searcher: Searcher, mates: Mates, above: list[int], options: Options
) -> dict[str, Any]:
    """Measure a searcher that was filled."""
    exact = isinstance(searcher, FaissIndex) and searcher.row_bytes > 0
    runs = options.flat_runs if exact else options.runs
    checked = 2 * options.flat_runs if exact else PEER_MATES
    numbers = measure_scan(searcher, mates, above, runs=runs, checked=checked)
    return {**numbers, "two_threads": None}


def _measure_shared(shared: PackedScan, mates: Mates, options: Options) -> dict[str, Any]:
    """Measure a scan that two threads share."""
    with ThreadPoolExecutor(1) as pool:
        shared.pool = pool
        return measure_two_threads(shared, mates, options.runs)


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

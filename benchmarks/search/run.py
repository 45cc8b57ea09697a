"""One size after the other: what is filled, measured and thrown away again."""

from __future__ import annotations

import json
import secrets
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from benchmarks.peers import FaissIndex, PackedScan, flat, peers
from benchmarks.search.filling import fill, twin
from benchmarks.search.measure import (
    choose_mates,
    count_failures,
    duel,
    measure_beside_enrolments,
    measure_changes,
    measure_scan,
    measure_search,
    measure_two_threads,
    search_mates,
    time_scans,
)
from benchmarks.search.people import BATCH_PALMS, People
from benchmarks.start import measure_start
from engine.calibrate import threshold_for_fpir
from engine.gallery.codebook import packed_bits
from engine.gallery.disk.code_file import CodeFile
from engine.gallery.disk.real_files import RealFiles
from engine.gallery.disk.seal import Seal
from engine.gallery.packed import PackedGallery
from engine.parameters import CODE_BYTES
from engine.types import Hand

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from benchmarks.mosaics import Mosaics
    from benchmarks.peers import Peer, Searcher
    from benchmarks.search.drawn import DrawnPalms
    from benchmarks.search.measure import Mates
    from engine.calibrate import Calibration

SEED: Final = 20261120
PEER_MATES: Final = 1000
"""Mates that are looked for with each searcher; the gallery itself is asked for all."""

_BITS: Final = (1, 2)
"""Of a packed row for each dimension."""

MOST_COMPARED_ROWS: Final = 2_000_000
"""Up to where people are enrolled and an exact scan is the yardstick: above, rows come again
and again, and their scan is compared with reading them."""

MOST_PEER_ROWS: Final = 100_000
"""Up to where graphs are built: they take minutes for more."""

REPEATED_PALMS: Final = 100_000
"""Of which the rows of very large galleries are made, again and again."""

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
    drawn: DrawnPalms,
    calibration: Calibration,
    options: Options,
    say: Callable[[str], None],
) -> dict[str, Any]:
    """Measure one size: returns numbers, ready for JSON."""
    people = People(mosaics, drawn, rows // 2)
    say(f"{rows} rows: mated probes")
    mates = choose_mates(people, options.mates, SEED)
    thresholds = {
        f"fpir_{TARGET_FPIR:g}": threshold_for_fpir(calibration, TARGET_FPIR, rows),
        f"fmr_{TARGET_FMR:g}": calibration.threshold_for_fmr(TARGET_FMR),
    }
    above = mates.above(min(thresholds.values()))
    say(f"{rows} rows: start; {len(above)} of {len(mates.palms)} mates above the threshold")
    numbers: dict[str, Any] = {"start": _start(rows, drawn.dimension)}
    say(f"{rows} rows: {json.dumps(numbers['start'])}")
    with TemporaryDirectory(prefix="thenar-codes-") as folder:
        numbers |= _measure_filled(
            people, drawn, mates, above, thresholds, Path(folder), options, say
        )
    return {"rows": rows, "drawn_mates": sum(p < len(drawn) for p in mates.palms), **numbers}


def _start(rows: int, dimension: int) -> dict[str, Any]:
    """Start a gallery of random rows from its files, in a process of its own."""
    with (
        TemporaryDirectory(prefix="thenar-start-") as folder,
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool,
    ):
        return asdict(pool.submit(measure_start, Path(folder), rows, dimension).result())


def _measure_filled(  # noqa: PLR0913 - all that was made of one size
    people: People,
    drawn: DrawnPalms,
    mates: Mates,
    above: list[int],
    thresholds: dict[str, float],
    folder: Path,
    options: Options,
    say: Callable[[str], None],
) -> dict[str, Any]:
    """Fill a gallery, its codes in an encrypted file as in the service, and measure it."""
    files = RealFiles(folder)
    codes = CodeFile(files, Seal(secrets.token_bytes(32), b"bench"), "codes", CODE_BYTES)
    gallery = PackedGallery(drawn.extractor, drawn.dimension, codes=codes)
    fill(people, gallery, codes)
    codes.sync()
    exact, packed = flat(drawn.dimension), _packed_scans(drawn.dimension, 1)
    shared = _packed_scans(drawn.dimension, 2)
    singles: list[Searcher] = [exact, *packed]
    _fill([*singles, *shared], people)
    say(f"{people.rows} rows: filled")
    numbers: dict[str, Any] = {
        "duel": duel(exact, packed[0], gallery, mates, options.flat_runs)
    }
    say(f"{people.rows} rows: {json.dumps(numbers['duel'])}")
    numbers |= _measure_gallery(gallery, people, mates, options)
    numbers["whole_search_two_threads"] = _shared_search(gallery, drawn, codes, mates, options)
    say(f"{people.rows} rows: {json.dumps(numbers)}")
    failures = search_mates(gallery, exact, mates, above)
    numbers["mates"] = {
        name: count_failures(failures, mates, threshold)
        for name, threshold in thresholds.items()
    }
    say(f"{people.rows} rows: {json.dumps(numbers['mates'])}")
    scans = [_measure_searcher(searcher, mates, above, options) for searcher in singles]
    for scan, halves in zip(scans[1:], shared, strict=True):
        scan["two_threads"] = _measure_shared(halves, mates, options)
    for peer in _peers(people.rows, drawn.dimension, options):
        say(f"{people.rows} rows: {peer.name}")
        _fill([peer], people)
        scans.append(_measure_searcher(peer, mates, above, options))
    files.close()
    return {**numbers, "scans": _compared(scans, people.rows, options.bandwidth)}


def _shared_search(
    gallery: PackedGallery, drawn: DrawnPalms, codes: CodeFile, mates: Mates, options: Options
) -> dict[str, Any]:
    """Time whole searches whose scan two threads share."""
    other = PackedGallery(drawn.extractor, drawn.dimension, codes=codes, threads=2)
    twin(gallery, other)
    return measure_search(other, mates, options.runs).as_json()


def measure_repeated(
    rows: int, mosaics: Mosaics, drawn: DrawnPalms, options: Options
) -> dict[str, Any]:
    """Measure the scan of more rows than are made: some, again and again; times only."""
    people = People(mosaics, drawn, min(REPEATED_PALMS, rows // 2))
    probes = [p.vector for p in people.probes(np.arange(BATCH_PALMS))]
    vectors = np.concatenate(list(people.batches()))
    scans, times = [], []
    for threads in (1, 2):
        scan = PackedScan(drawn.dimension, packed_bits(drawn.dimension), shards=threads)
        for first in range(0, rows, len(vectors)):
            scan.add(vectors[: rows - first])
        with ThreadPoolExecutor(1) as pool:
            scan.pool = pool if threads > 1 else None
            times.append(time_scans(scan, probes, options.runs // 10))
        scans.append(scan)
    (scan, _), (one, two) = scans, times
    read_ms = rows * scan.row_bytes / options.bandwidth / 1e6
    return {
        "rows": rows,
        "method": scan.name,
        "row_octets_read": scan.row_bytes,
        "one_thread": one.as_json(),
        "two_threads": two.as_json(),
        "read_ms": round(read_ms, 3),
        "times_the_read": round(one.cpu_ms / read_ms, 2),
    }


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


def _packed_scans(dimension: int, threads: int) -> list[PackedScan]:
    """Return our own scans, for so many threads."""
    return [PackedScan(dimension, bits, shards=threads) for bits in _BITS]


def _peers(rows: int, dimension: int, options: Options) -> Iterator[Peer]:
    """Yield other searches, each made when the one before is thrown away."""
    if options.with_peers:
        for peer in peers(dimension):
            if not peer.is_graph or rows <= MOST_PEER_ROWS:
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

"""Measure a gallery too large for an exact scan beside it: ten million rows.

Only encrypted codes repeat. The baseline is the time to read the scanned rows.
"""

from __future__ import annotations

import secrets
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from benchmarks.measurement.timing import resident_bytes
from benchmarks.search.gallery_times import measure_search, time_scans
from benchmarks.search.peers.scans import PackedScan
from benchmarks.search.population.filling import RepeatedCodes, columns
from benchmarks.search.population.mates import choose_mates, count_failures, search_mates
from benchmarks.search.population.people import SEED, People, names_of
from engine.gallery.durability.gallery_file import GalleryFile
from engine.gallery.durability.state import RowFormat
from engine.gallery.durability.stored_codes import StoredCodes, write_codes
from engine.gallery.search.codebook import packed_bits
from engine.gallery.search.packed import PackedGallery
from engine.gallery.search.side_index import scanned_rows
from engine.parameters import CODE_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from benchmarks.search.options import Options
    from benchmarks.search.population.drawn import DrawnPalms
    from benchmarks.search.population.mosaics import Mosaics
    from engine.gallery.rows.columns import Columns

CODED_ROWS: Final = 200_000
"""Rows with their own codes: all drawn palms are among them."""


def measure_large(
    rows: int,
    mosaics: Mosaics,
    drawn: DrawnPalms,
    thresholds: dict[str, float],
    options: Options,
    report: Callable[[str], None],
) -> dict[str, Any]:
    """Measure scans, whole searches and lost mates of one gallery."""
    people = People(mosaics, drawn, rows // 2)
    mates = choose_mates(people, options.mates, SEED)
    before, began = resident_bytes(), perf_counter()
    packed: list[NDArray[np.uint8]] = []
    with TemporaryDirectory(prefix="thenar-codes-") as folder:
        model = RowFormat(drawn.extractor, drawn.dimension, CODE_BYTES, 0)
        file = GalleryFile(Path(folder) / "codes", model, secrets.token_bytes(32))
        kept = StoredCodes(file, CODE_BYTES)
        codes = RepeatedCodes(kept, CODED_ROWS, names_of)
        gallery = PackedGallery(drawn.extractor, drawn.dimension, codes=codes)
        gallery.slot_columns.load(_collect_packed(columns(people, codes, CODED_ROWS), packed))
        write_codes(file, kept)
        octets = resident_bytes() - before - sum(block.nbytes for block in packed)
        report(f"{rows} rows: filled in {perf_counter() - began:.0f} s")
        search = measure_search(gallery, mates, options.runs // 5)
        numbers = _scans(np.concatenate(packed), drawn.dimension, people, options)
        packed.clear()
        report(f"{rows} rows: {search.cpu_ms:.1f} ms")
        failures = search_mates(gallery, people, mates, mates.above(min(thresholds.values())))
        file.close()
    return {
        "rows": rows,
        **numbers,
        "whole_search": search.as_json(),
        "resident_bytes_per_row": round(octets / rows, 1),
        "mates": {
            name: count_failures(failures, mates, threshold)
            for name, threshold in thresholds.items()
        },
    }


def _collect_packed(
    blocks: Iterator[Columns], packed: list[NDArray[np.uint8]]
) -> Iterator[Columns]:
    for block in blocks:
        packed.append(block.packed)
        yield block


def _scans(
    packed: NDArray[np.uint8], dimension: int, people: People, options: Options
) -> dict[str, Any]:
    probes = np.stack([probe.vector for probe in people.probes(np.arange(1000))])
    bits, count, times = packed_bits(dimension), scanned_rows(len(packed)), []
    for threads in (1, 2):
        scan = PackedScan(dimension, bits, shards=threads)
        scan.fill(packed)
        with ThreadPoolExecutor(1) as pool:
            scan.pool = pool if threads > 1 else None
            times.append(time_scans(scan, probes, count, options.runs // 10))
    one, two = times
    row_octets = packed.shape[1]
    read_ms = len(packed) * row_octets / options.bandwidth / 1e6
    return {
        "method": f"packed, {bits} bit",
        "row_octets_read": row_octets,
        "one_thread": one.as_json(),
        "family": "packed",
        "latency_ms": round(one.cpu_ms, 4),
        "two_threads": two.as_json(),
        "read_ms": round(read_ms, 3),
        "times_the_read": round(one.cpu_ms / read_ms, 2),
    }

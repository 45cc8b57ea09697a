"""Measure one gallery size after the other."""

from __future__ import annotations

import json
import secrets
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from benchmarks.measurement.gallery_start import measure_start_in_process
from benchmarks.search.gallery_times import (
    measure_beside_enrolments,
    measure_changes,
    measure_search,
    time_in_turn,
    time_scans,
)
from benchmarks.search.identification import identification, identify
from benchmarks.search.peers.choose import SkippedPeer, peers
from benchmarks.search.peers.scans import FaissScan, PackedScan, flat, half_precision
from benchmarks.search.population.filling import copy_gallery, fill
from benchmarks.search.population.mates import choose_mates, count_failures, search_mates
from benchmarks.search.population.people import SEED, People
from benchmarks.search.scans import SoughtMates, add_ratios, measure_scan
from engine.gallery.durability.gallery_file import GalleryFile
from engine.gallery.durability.state import RowFormat
from engine.gallery.durability.stored_codes import StoredCodes, write_codes
from engine.gallery.search.packed import PackedGallery
from engine.gallery.search.side_index import scanned_rows
from engine.parameters import CODE_BYTES
from engine.types import Hand

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.search.options import Options
    from benchmarks.search.peers.searcher import Peer
    from benchmarks.search.population.drawn import DrawnPalms
    from benchmarks.search.population.mates import Mates
    from benchmarks.search.population.mosaics import Mosaics

WANTED_MATES: Final = 1000
"""Mates for each searcher; the gallery itself is asked for all."""

SCAN_SECONDS: Final = 30.0
"""Limit for timing single scans and looking for mates, for each searcher."""

PEER_SECONDS: Final = 5.0
"""The same for each effort of a peer."""

TARGET_DIMENSION: Final = 256
"""Of the vectors for the targets of memory and start."""

_BITS: Final = (1, 2)


def measure_size(
    rows: int,
    mosaics: Mosaics,
    drawn: DrawnPalms,
    thresholds: dict[str, float],
    options: Options,
    report: Callable[[str], None],
) -> dict[str, Any]:
    """Measure one size; return numbers, ready for JSON."""
    people = People(mosaics, drawn, rows // 2)
    report(f"{rows} rows: mated probes")
    mates = choose_mates(people, options.mates, SEED)
    above = mates.above(min(thresholds.values()))
    report(f"{rows} rows: start; {len(above)} of {len(mates.palms)} mates above the threshold")
    numbers: dict[str, Any] = {
        "start": asdict(measure_start_in_process(rows, drawn.dimension)),
        "start_of_the_bar": asdict(measure_start_in_process(rows, TARGET_DIMENSION)),
    }
    report(f"{rows} rows: {json.dumps(numbers)}")
    with TemporaryDirectory(prefix="thenar-codes-") as folder:
        numbers |= _SizeBenchmark(people, drawn, mates, options, report).measured(
            Path(folder), above, thresholds
        )
    return {"rows": rows, "drawn_mates": sum(p < len(drawn) for p in mates.palms), **numbers}


class _SizeBenchmark:
    """Measurements of one size."""

    def __init__(
        self,
        people: People,
        drawn: DrawnPalms,
        mates: Mates,
        options: Options,
        report: Callable[[str], None],
    ) -> None:
        self._people, self._drawn, self._mates = people, drawn, mates
        self._options, self._report_line = options, report

    def measured(
        self, folder: Path, above: list[int], thresholds: dict[str, float]
    ) -> dict[str, Any]:
        """Measure a gallery with encrypted codes on disk, as in the service."""
        people, mates, options = self._people, self._mates, self._options
        model = RowFormat(self._drawn.extractor, self._drawn.dimension, CODE_BYTES, 0)
        file = GalleryFile(folder / "codes", model, secrets.token_bytes(32))
        codes = StoredCodes(file, CODE_BYTES)
        gallery = PackedGallery(self._drawn.extractor, self._drawn.dimension, codes=codes)
        fill(people, gallery, codes)
        write_codes(file, codes)
        exact, packed = flat(self._drawn.dimension), self._packed(1)
        self._fill([exact, *packed])
        self._report("filled")
        numbers: dict[str, Any] = {
            "duel": time_in_turn(exact, packed[0], gallery, mates, options.flat_runs)
        }
        self._report(json.dumps(numbers))
        numbers |= self._gallery(gallery)
        numbers["whole_search_two_threads"] = self._shared_search(gallery, codes)
        self._report(json.dumps(numbers))
        failures = search_mates(gallery, people, mates, above)
        numbers["mates"] = {
            name: count_failures(failures, mates, threshold)
            for name, threshold in thresholds.items()
        }
        numbers["identification"] = identification(identify(gallery, mates), thresholds)
        self._report(json.dumps([numbers["mates"], numbers["identification"]]))
        file.close()
        del gallery
        some = above[:WANTED_MATES]
        wanted = SoughtMates.from_exact_scan(
            exact, mates.vectors(some), [mates.palms[n] for n in some]
        )
        scans = self._scans(exact, packed, wanted)
        del exact, packed
        others, left_out = self._peers(wanted)
        ratios = add_ratios([*scans, *others], people.rows, options.bandwidth)
        return {**numbers, "scans": ratios, "left_out": left_out}

    def _report(self, text: str) -> None:
        self._report_line(f"{self._people.rows} rows: {text}")

    def _gallery(self, gallery: PackedGallery) -> dict[str, Any]:
        people, mates, options = self._people, self._mates, self._options
        numbers: dict[str, Any] = {
            "whole_search": measure_search(gallery, mates, options.runs).as_json(),
            "changes": measure_changes(gallery, people, options.changes),
            "beside_enrolments": measure_beside_enrolments(
                gallery, people, mates, options.runs
            ),
        }
        if gallery.row_count(Hand.LEFT) != people.rows:
            raise AssertionError("the gallery lacks enrolled rows")
        return numbers

    def _shared_search(self, gallery: PackedGallery, codes: StoredCodes) -> dict[str, Any]:
        drawn = self._drawn
        other = PackedGallery(drawn.extractor, drawn.dimension, codes=codes, threads=2)
        copy_gallery(gallery, other)
        return measure_search(other, self._mates, self._options.runs).as_json()

    def _packed(self, threads: int) -> list[PackedScan]:
        return [PackedScan(self._drawn.dimension, bits, shards=threads) for bits in _BITS]

    def _fill(self, searchers: Sequence[FaissScan | PackedScan]) -> None:
        for vectors in self._people.batches():
            for searcher in searchers:
                searcher.add(vectors)

    def _scans(
        self, exact: FaissScan, packed: Sequence[PackedScan], wanted: SoughtMates
    ) -> list[dict[str, Any]]:
        options, count = self._options, scanned_rows(self._people.rows)
        scans = [measure_scan(exact, wanted, runs=options.flat_runs, seconds=SCAN_SECONDS / 3)]
        shared = self._packed(2)
        self._fill(shared)
        for scan, shared_scan in zip(packed, shared, strict=True):
            measured = measure_scan(
                scan, wanted, count=count, runs=options.runs, seconds=SCAN_SECONDS
            )
            with ThreadPoolExecutor(1) as pool:
                shared_scan.pool = pool
                two = time_scans(shared_scan, wanted.vectors, count, options.runs)
            scans.append({**measured, "two_threads": two.as_json()})
        if options.servers is not None:
            half = half_precision(self._drawn.dimension)
            self._fill([half])
            scans.append(
                measure_scan(half, wanted, runs=options.flat_runs, seconds=SCAN_SECONDS / 3)
            )
        return scans

    def _peers(self, wanted: SoughtMates) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
        """Measure the peers, one in memory at a time."""
        scans: list[dict[str, Any]] = []
        left_out: list[dict[str, str]] = []
        if self._options.servers is None:
            return scans, left_out
        for peer in peers(self._drawn.dimension, self._options.servers):
            if isinstance(peer, SkippedPeer):
                self._report(f"{peer.name} is skipped: {peer.why}")
                left_out.append(asdict(peer))
            else:
                scans += self._peer(peer, wanted)
        return scans, left_out

    def _peer(self, peer: Peer, wanted: SoughtMates) -> list[dict[str, Any]]:
        self._report(peer.name)
        cache, family = self._options.cache, peer.name
        scans: list[dict[str, Any]] = []
        name = f"{self._drawn.extractor}-{self._people.rows}"
        try:
            peer.fill(self._people.rows, self._people.batches, cache and cache / name)
            for effort in peer.efforts:
                peer.set_effort(effort)
                method = f"{family}, {effort}" if effort else family
                scan = measure_scan(
                    peer,
                    wanted,
                    runs=self._options.runs,
                    seconds=PEER_SECONDS,
                    is_server=peer.is_server,
                )
                scans.append({**scan, "method": method})
        finally:
            peer.close()
        return scans

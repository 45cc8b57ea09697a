"""The packed rows of one hand: dense, numbered from 0, distributed over shards.

Row ``r`` is in shard ``r % shards``, so shards stay balanced; a thread scans each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import faiss
import numpy as np

from engine.errors import GalleryFault
from engine.gallery.search.codebook import centroids
from engine.gallery.search.pq_layout import BLOCK_ROWS, Encoder, Segment
from engine.gallery.search.scan_kernel import Nearest, can_scan

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from numpy.typing import NDArray

    from engine.gallery.search.pq_layout import Nibbles


_CACHED_ROWS: Final = 1 << 15
"""Rows that all probes of a batch scan before the next: 1.5 MB (384 numbers, 1 bit)."""


class PackedIndex:
    """Rows to be scanned. One writer at a time, any number of scans beside it.

    ``bits`` is per dimension; ``shards`` threads may share a scan; ``segment_rows``, a multiple
    of 32, are allocated at once.
    """

    def __init__(
        self, encoder: Encoder, dimension: int, bits: int, *, shards: int, segment_rows: int
    ) -> None:
        if segment_rows < 1 or segment_rows % BLOCK_ROWS or shards < 1:
            raise GalleryFault("a segment holds whole blocks, and there is at least one shard")
        self._encoder, self._dimension, self._bits = encoder, dimension, bits
        self._shards: list[list[Segment]] = [[] for _ in range(shards)]
        self._segment_rows = segment_rows
        self._points = centroids(dimension, bits)
        self._is_compiled = can_scan(len(self._points))
        self._count = 0

    def __len__(self) -> int:
        """Return how many rows are scanned."""
        return self._count

    def write(self, first: int, vectors: NDArray[np.float32]) -> None:
        """Write vectors to consecutive rows, visible or not."""
        codes = self._encoder.encode(vectors)
        rows = np.arange(first, first + len(codes))
        self._grow_to(first + len(codes))
        shards, places = rows % len(self._shards), rows // len(self._shards)
        parts = places // self._segment_rows
        for shard in np.unique(shards):
            for part in np.unique(parts[shards == shard]):
                here = (shards == shard) & (parts == part)
                segment = self._shards[shard][part]
                segment.write(places[here] % self._segment_rows, codes[here])

    def fill(self, packed: NDArray[np.uint8]) -> None:
        """Show rows read from disk: two parts in an octet, shape (rows, parts / 2), uint8."""
        self._grow_to(len(packed))
        step = len(self._shards)
        for shard, segments in enumerate(self._shards):
            mine = packed[shard::step]
            for part, segment in enumerate(segments):
                here = mine[part * self._segment_rows : (part + 1) * self._segment_rows]
                codes = np.empty((len(here), 2 * here.shape[1]), np.uint8)
                codes[:, 0::2], codes[:, 1::2] = here & 15, here >> 4
                segment.fill(codes)
        self.show(len(packed))

    def packed(self, rows: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Return rows as ``fill`` takes them."""
        shards, places = rows % len(self._shards), rows // len(self._shards)
        parts = places // self._segment_rows
        codes = np.zeros((len(rows), self._encoder.parts), np.uint8)
        for shard in np.unique(shards):
            for part in np.unique(parts[shards == shard]):
                here = (shards == shard) & (parts == part)
                segment = self._shards[shard][part]
                codes[here] = segment.read_many(places[here] % self._segment_rows)
        packed: NDArray[np.uint8] = codes[:, 0::2] | (codes[:, 1::2] << np.uint8(4))
        return packed

    def move(self, source: int, target: int) -> None:
        """Copy a row's code to another row."""
        self._write_one(target, self._read_one(source))

    def clear(self, row: int) -> None:
        """Overwrite a row's code with zeros."""
        self._write_one(row, np.zeros((1, self._encoder.parts), np.uint8))

    def show(self, count: int) -> None:
        """Make the first ``count`` rows visible to scans."""
        step, per_segment = len(self._shards), self._segment_rows
        low, high = sorted((self._count, count))
        for shard, segments in enumerate(self._shards):
            here = max(0, -(-(count - shard) // step))
            first = max(0, (low - shard) // step) // per_segment
            last = max(0, (high - shard) // step) // per_segment
            for part in range(first, min(last + 1, len(segments))):
                segments[part].show(min(max(here - part * per_segment, 0), per_segment))
        self._count = count

    def nearest(
        self, probes: NDArray[np.float32], count: int, pool: ThreadPoolExecutor | None
    ) -> list[NDArray[np.int64]]:
        """Return, for each rotated probe, at least the nearest ``count`` rows by estimate.

        ``pool`` scans all shards but the first; None: sequentially.
        """
        shards = range(len(self._shards))
        if self._is_compiled and len(shards) == 1:
            return list(self._scan_compiled(self._shards[0], probes, count)[1])
        if pool is None:
            found = [self._scan(shard, probes, count) for shard in shards]
        else:
            rest = [pool.submit(self._scan, shard, probes, count) for shard in shards[1:]]
            found = [self._scan(0, probes, count), *(scan.result() for scan in rest)]
        estimates = np.concatenate([estimate for estimate, _ in found], axis=1)
        rows = np.concatenate([row for _, row in found], axis=1)
        return [_best(*line, count) for line in zip(estimates, rows, strict=True)]

    def _scan(
        self, shard: int, probes: NDArray[np.float32], count: int
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Scan one shard: estimates and rows, −1 for none; shape (probes, any)."""
        scan = self._scan_compiled if self._is_compiled else self._scan_faiss
        estimates, places = scan(self._shards[shard], probes, count)
        return estimates, np.where(places < 0, -1, places * len(self._shards) + shard)

    def _scan_compiled(
        self, segments: list[Segment], probes: NDArray[np.float32], count: int
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        parts = probes.reshape(len(probes), len(self._points), -1, 1)
        found = [Nearest((self._points @ part)[:, :, 0], count) for part in parts]
        pieces = self._pieces(segments, _CACHED_ROWS if len(probes) > 1 else self._segment_rows)
        for some in pieces[:, None] if len(probes) > 1 else [pieces]:
            for nearest in found:
                nearest.scan(some)
        estimates, places = zip(*(nearest.best() for nearest in found), strict=True)
        return np.stack(estimates), np.stack(places)

    def _pieces(self, segments: list[Segment], step: int) -> NDArray[np.int64]:
        """Return pieces of at most ``step`` rows as ``Nearest.scan`` takes them."""
        pieces = [
            (
                segment.address_of(first),
                min(step, shown - first),
                part * self._segment_rows + first,
            )
            for part, segment in enumerate(segments)
            for shown in [segment.count]
            for first in range(0, shown, step)
        ]
        return np.array(pieces, np.int64).reshape(-1, 3)

    def _scan_faiss(
        self, segments: list[Segment], probes: NDArray[np.float32], count: int
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        # Set per calling thread: more threads would compete for cores.
        faiss.omp_set_num_threads(1)
        estimates = [np.zeros((len(probes), 0), np.float32)]
        places = [np.zeros((len(probes), 0), np.int64)]
        for part, segment in enumerate(segments):
            estimate, slots = segment.scan(probes, count)
            estimates.append(estimate)
            places.append(np.where(slots < 0, -1, slots + part * self._segment_rows))
        return np.concatenate(estimates, axis=1), np.concatenate(places, axis=1)

    def _grow_to(self, count: int) -> None:
        for shard, segments in enumerate(self._shards):
            here = -(-(count - shard) // len(self._shards))
            while len(segments) * self._segment_rows < here:
                segments.append(Segment(self._dimension, self._bits, self._segment_rows))

    def _place(self, row: int) -> tuple[Segment, int]:
        place, shard = divmod(row, len(self._shards))
        part, slot = divmod(place, self._segment_rows)
        return self._shards[shard][part], slot

    def _read_one(self, row: int) -> Nibbles:
        segment, slot = self._place(row)
        return segment.read(slot)

    def _write_one(self, row: int, code: Nibbles) -> None:
        segment, slot = self._place(row)
        segment.write(np.array([slot]), code)


def _best(
    estimates: NDArray[np.float32], rows: NDArray[np.int64], count: int
) -> NDArray[np.int64]:
    there = rows >= 0
    estimates, rows = estimates[there], rows[there]
    if len(rows) <= count:
        return rows
    return np.asarray(rows[np.argpartition(-estimates, count - 1)[:count]], np.int64)
